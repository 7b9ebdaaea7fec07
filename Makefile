# Hearth's commands. `make` alone lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

SWIFT ?= swift
SOAK ?= 20
CYCLES ?= 500
SEEDS ?= 20000
SOURCES = Sources Tests Benchmarks

.PHONY: help setup demo stress test lint format bench bench-smoke tsan asan simulate soak kill parity clean \
  crash-states io-faults memory-faults

help: ## List the commands.
	@echo "Hearth: documents, indexes, transactions and live queries inside your process."
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  make demo takes KEEP=path (keep the database), RESTAURANTS=n and SECONDS=n."

setup: ## Install what is missing (LMDB's headers) and check Swift.
	@Scripts/setup.sh

demo: setup ## Build in release mode, run the main job on real data.
	@echo "== Building the command line tool (release mode; minutes the first time)"
	@$(SWIFT) build -c release --product hearth
	@echo
	@"$$($(SWIFT) build -c release --show-bin-path)/hearth" demo \
	  $(if $(KEEP),--keep "$(KEEP)") \
	  $(if $(RESTAURANTS),--restaurants $(RESTAURANTS)) \
	  $(if $(SECONDS),--seconds $(SECONDS))

stress: setup ## Rate from many tasks at once, measure, judge (ARGS='--keys hot').
	@echo "== Building the command line tool (release mode; minutes the first time)"
	@$(SWIFT) build -c release --product hearth
	@echo
	@"$$($(SWIFT) build -c release --show-bin-path)/hearth" stress ratings $(ARGS)

test: setup ## Build and run all tests; ends with a summary.
	@Scripts/test.sh

lint: ## Check the formatting of every source file.
	@$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)
	@echo "lint: clean"

format: ## Format every source file in place.
	@$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

bench: setup ## Run the benchmarks beside raw LMDB (ARGS='--filter hot').
	@$(SWIFT) build -c release --product hearth-bench
	@"$$($(SWIFT) build -c release --show-bin-path)/hearth-bench" $(ARGS)

bench-smoke: setup ## Run every benchmark once at its small size.
	@$(SWIFT) build -c release --product hearth-bench
	@"$$($(SWIFT) build -c release --show-bin-path)/hearth-bench" --smoke $(ARGS)

# A scratch path of their own keeps the sanitizers from rebuilding everything each time.

tsan: setup ## Run the concurrency tests under the thread sanitizer.
	@TSAN_OPTIONS="$${TSAN_OPTIONS:-halt_on_error=1 second_deadlock_stack=1}" \
	  $(SWIFT) test --sanitize=thread --scratch-path .build/tsan \
	  --filter '$(or $(FILTER),HearthEngineTests|SimulationTests)'

# At -O: without it, out-of-bounds raw loads run in uninstrumented code and are missed. Leak
# detection reports Swift's string storage falsely.
asan: setup ## Run all tests under the address sanitizer, optimized.
	@ASAN_OPTIONS="$${ASAN_OPTIONS:-detect_leaks=0}" \
	  $(SWIFT) test -c release --sanitize=address --scratch-path .build/asan \
	  $(if $(FILTER),--filter '$(FILTER)')

# CONFIGURATION=release runs some three times as many worlds a second, without assertions.
simulate: setup ## Run SEEDS=20000 simulated worlds, or the one of SEED=n (KIND=lists).
	@$(SWIFT) build $(if $(CONFIGURATION),-c $(CONFIGURATION)) --product HearthSimulator
	@"$$($(SWIFT) build $(if $(CONFIGURATION),-c $(CONFIGURATION)) --show-bin-path)/HearthSimulator" \
	  $(if $(SEED),--seed $(SEED),--seeds $(SEEDS)) $(if $(KIND),--kind $(KIND)) $(ARGS)

soak: setup ## Run the random tests SOAK=20 times as long, and 200,000 worlds.
	@HEARTH_SOAK=$(SOAK) HEARTH_LONG_TESTS=1 HEARTH_WORLDS=0 \
	  Scripts/test.sh $(if $(FILTER),--filter '$(FILTER)')
	@$(if $(FILTER),,$(MAKE) --no-print-directory simulate SEEDS=200000 CONFIGURATION=release)

kill: setup ## Kill a writing process again and again (CYCLES=500).
	@HEARTH_KILL_CYCLES=$(CYCLES) Scripts/test.sh --filter '$(or $(FILTER),CrashTests)'

# Skips itself, saying so, where the emulator's jar or Java is missing.
parity: setup ## Compare with the official Firestore emulator (ARGS='--count 50000').
	@$(SWIFT) build --product HearthParity
	@"$$($(SWIFT) build --show-bin-path)/HearthParity" $(ARGS)

# Faults of disks. Each takes CYCLES, SEED and ARGS, and skips what the machine does not allow,
# saying so: mounting needs root, ext4 and xfs need loop devices, xfs needs xfsprogs.
DISK_FAULTS = $(SWIFT) build -c release --product hearth-disk-faults && \
  "$$($(SWIFT) build -c release --show-bin-path)/hearth-disk-faults" $@ \
  $(if $(filter command environment,$(word 1,$(origin CYCLES))),--cycles $(CYCLES)) \
  $(if $(SEED),--seed $(SEED)) $(ARGS)
.PHONY: power-cut full-disk bit-rot map-growth

power-cut: setup ## Cut the power under a writing process (CYCLES=20 per file system; root).
	@$(DISK_FAULTS)

full-disk: setup ## Fill a disk, delete, compact, go on (CYCLES=5 per file system; root).
	@$(DISK_FAULTS)

bit-rot: setup ## Damage a file in all ways and read it (CYCLES=2000).
	@$(DISK_FAULTS)

map-growth: setup ## Grow maps under readers, queries and listeners (CYCLES=40).
	@$(DISK_FAULTS)

# The three of hearth-faults; ARGS='--sample 1000 --seed 7', and more with ARGS=--help.
FAULTS = $(SWIFT) build -c release --product hearth-faults && \
  $(SWIFT) build -c release --product HearthFaultShim && \
  "$$($(SWIFT) build -c release --show-bin-path)/hearth-faults"

crash-states: setup ## Open every state that a crash can leave the disk in (ARGS='--traces 100').
	@$(FAULTS) crash-states --traces 45 --rounds 100 $(ARGS)

io-faults: setup ## Fail every call to the file system, also while opening what a crash left.
	@$(FAULTS) io-faults --rounds 200 $(ARGS)
	@$(FAULTS) recovery --rounds 100 $(ARGS)

memory-faults: setup ## Fail every allocation inside LMDB.
	@$(FAULTS) memory --rounds 200 $(ARGS)

clean: ## Remove everything that was built.
	@rm -rf .build
