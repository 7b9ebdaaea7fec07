// The room's first file is on its way.
