// Code written for the Firestore SDK gets Foundation with it and never imports it itself.
@_exported public import Foundation
// Users hold values, paths, errors and index definitions; what is `package` there stays hidden.
@_exported public import HearthModel
