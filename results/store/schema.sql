-- A store of assay, schema version 6: what was measured, of which blocks, on what, and how.
-- This file alone defines the tables. SQLite 3.37 or later reads them.

PRAGMA application_id = 1634956153;  -- "assy" as a big-endian 32-bit number
PRAGMA user_version = 6;             -- the schema version; a store of another one is refused

-- A CPU: what stays the same from boot to boot.
CREATE TABLE machine (
  id INTEGER PRIMARY KEY,
  vendor TEXT NOT NULL,             -- as CPUID has it: 'AuthenticAMD'
  brand TEXT NOT NULL,              -- CPUID's brand string, trimmed
  family INTEGER NOT NULL,          -- display family
  model INTEGER NOT NULL,           -- display model
  stepping INTEGER NOT NULL,
  microarchitecture TEXT NOT NULL,  -- 'zen4', 'skylake', ...; 'unknown'
  UNIQUE (vendor, brand, family, model, stepping, microarchitecture)
) STRICT;

-- What surrounds the CPU: what may change between boots and can change results.
CREATE TABLE environment (
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL,      -- 'Linux 6.1.0-18-amd64'
  microcode TEXT NOT NULL,   -- revision, as the kernel reports it; 'unknown'
  hypervisor TEXT NOT NULL,  -- CPUID's signature; 'none' on bare metal
  governor TEXT NOT NULL,    -- of the core that was used; 'none' without cpufreq
  smt TEXT NOT NULL,         -- 'on', 'off', 'notsupported', ...; 'unknown'
  cores INTEGER NOT NULL,    -- logical cores online
  UNIQUE (kernel, microcode, hypervisor, governor, smt, cores)
) STRICT;

-- Measuring on one machine under one protocol. Whoever comes again with the same machine,
-- environment, program and settings goes on with the campaign instead of starting another.
CREATE TABLE campaign (
  id INTEGER PRIMARY KEY,
  machine INTEGER NOT NULL REFERENCES machine (id),
  environment INTEGER NOT NULL REFERENCES environment (id),
  program_version TEXT NOT NULL,  -- of assay
  settings TEXT NOT NULL,         -- all settings as one line of JSON in a fixed order
  protocol TEXT NOT NULL,         -- for queries; also in settings
  clock TEXT NOT NULL,            -- for queries; also in settings
  started_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),  -- UTC, ISO 8601
  UNIQUE (machine, environment, program_version, settings)
) STRICT;

-- A basic block, and the initial state that it is to be run under where its corpus says so: 'bhive
-- rdx=0x0 mem=0x40', as text with one form for each. All else is a view of the bytes.
CREATE TABLE block (
  id INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL,                                      -- machine code
  state TEXT NOT NULL DEFAULT '',                           -- '': the campaign's
  text TEXT NOT NULL,                                       -- Intel syntax
  size INTEGER NOT NULL AS (length(bytes)),                 -- in bytes
  instructions INTEGER NOT NULL CHECK (instructions >= 0),  -- as far as it decodes
  UNIQUE (bytes, state)
) STRICT;

-- A line of a corpus in which a block stands.
CREATE TABLE source (
  block INTEGER NOT NULL REFERENCES block (id),
  corpus TEXT NOT NULL,                        -- name of the corpus
  line INTEGER NOT NULL CHECK (line > 0),      -- counted from 1
  frequency REAL CHECK (frequency >= 0),       -- as that line gives it, in the corpus's own unit
  name TEXT NOT NULL,                          -- what that line calls the block; may be empty
  origin TEXT NOT NULL,                        -- where that line says it was found; may be empty
  PRIMARY KEY (block, corpus, line)
) STRICT, WITHOUT ROWID;

-- What became of a block under one notion in one campaign. But for the key and the time, the columns
-- are the fields of Measurement (profiler/measurement/measurement.h) by the same names, of which the
-- table block has `instructions`.
CREATE TABLE measurement (
  campaign INTEGER NOT NULL REFERENCES campaign (id),
  block INTEGER NOT NULL REFERENCES block (id),
  notion TEXT NOT NULL CHECK (notion <> ''),  -- what "repeatedly" means: 'unrolled', 'looped'
  verdict TEXT NOT NULL CHECK (verdict IN ('measured', 'rejected', 'failed')),
  reason TEXT NOT NULL CHECK (reason <> ''),  -- why there is no number; 'none' if there is one
  detail TEXT NOT NULL,                       -- for people; may be empty
  cycles REAL,                                -- core cycles per copy of the block; if measured
  half_width REAL,                            -- of its interval, of 95 % under 'assay'; if measured
  runs INTEGER NOT NULL CHECK (runs >= 0),    -- timed runs of the block that were taken in
  dropped INTEGER NOT NULL CHECK (dropped >= 0),  -- those left out: outliers, disturbed ones
  copies INTEGER NOT NULL CHECK (copies >= 0),    -- n: the fewest that it was timed at; 0: never planned
  pages INTEGER NOT NULL CHECK (pages >= 0),      -- virtual pages mapped for it
  initial_state TEXT NOT NULL,                -- that under which it came to this; '': never ran
  traits TEXT NOT NULL,                       -- names, with commas between: 'split_line,subnormal'
  measured_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),  -- UTC, ISO 8601
  PRIMARY KEY (campaign, block, notion),
  -- An estimate that was not good enough is not stored: nobody is to take it for a number.
  CHECK (verdict = 'measured' OR (cycles IS NULL AND half_width IS NULL)),
  CHECK ((verdict = 'measured') = (reason = 'none')),
  -- An impossible number is never stored as measured. (9e999 is infinity. A comparison with NULL
  -- is NULL, which a CHECK lets pass: so IS NOT NULL comes first.)
  CHECK (verdict <> 'measured' OR (cycles IS NOT NULL AND half_width IS NOT NULL AND cycles > 0
                                   AND cycles < 9e999 AND half_width >= 0 AND half_width < 9e999
                                   AND runs > 0))
) STRICT, WITHOUT ROWID;

-- How often an event happened in one copy of a block, counted beside the clock. Rejected blocks have
-- theirs too: they may be why.
CREATE TABLE event_count (
  campaign INTEGER NOT NULL,
  block INTEGER NOT NULL,
  notion TEXT NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),  -- as it was asked for
  position INTEGER NOT NULL CHECK (position > 0),  -- among the block's events, from 1
  per_copy REAL NOT NULL CHECK (per_copy > -9e999 AND per_copy < 9e999),
  half_width REAL NOT NULL CHECK (half_width >= 0 AND half_width < 9e999),  -- of its 95 % interval
  overhead REAL NOT NULL CHECK (overhead > -9e999 AND overhead < 9e999),  -- in a run without copies
  validates INTEGER NOT NULL CHECK (validates IN (0, 1)),  -- counted to judge the block: 1
  pass INTEGER NOT NULL CHECK (pass >= 1),  -- in which of the passes it was counted
  pass_cycles REAL NOT NULL CHECK (pass_cycles > 0 AND pass_cycles < 9e999),  -- a copy's, in that pass
  PRIMARY KEY (campaign, block, notion, name),
  FOREIGN KEY (campaign, block, notion) REFERENCES measurement ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- How far a campaign has come with a corpus, or with a shard of one, under a notion.
CREATE TABLE coverage (
  campaign INTEGER NOT NULL REFERENCES campaign (id),
  corpus TEXT NOT NULL CHECK (corpus <> ''),  -- name of the corpus, as in source
  notion TEXT NOT NULL CHECK (notion <> ''),
  shard INTEGER NOT NULL CHECK (shard >= 1),  -- which of them, from 1
  shards INTEGER NOT NULL CHECK (shards >= shard),  -- into how many the corpus was cut; 1: the whole
  block_limit INTEGER NOT NULL CHECK (block_limit >= 0),  -- only so many of its blocks; 0: all
  complete INTEGER NOT NULL CHECK (complete IN (0, 1)),  -- every block of it came to an outcome: 1
  digest TEXT NOT NULL CHECK (digest NOT GLOB '*[^0-9a-f]*'),  -- of the whole corpus, hex; '': unknown
  blocks INTEGER NOT NULL CHECK (blocks >= 0),  -- distinct ones in the shard
  PRIMARY KEY (campaign, corpus, notion, shard, shards, block_limit),
  -- Only what was cut off by a limit may never have been read to its end.
  CHECK (digest <> '' OR NOT complete OR block_limit > 0),
  CHECK (complete OR blocks = 0)
) STRICT, WITHOUT ROWID;

-- A second measurement of a block in the same campaign, to see whether it agrees with the first. Its
-- columns and checks are those of the table measurement.
CREATE TABLE recheck (
  campaign INTEGER NOT NULL,
  block INTEGER NOT NULL,
  notion TEXT NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN ('measured', 'rejected', 'failed')),
  reason TEXT NOT NULL CHECK (reason <> ''),
  detail TEXT NOT NULL,
  cycles REAL,
  half_width REAL,
  runs INTEGER NOT NULL CHECK (runs >= 0),
  dropped INTEGER NOT NULL CHECK (dropped >= 0),
  copies INTEGER NOT NULL CHECK (copies >= 0),
  pages INTEGER NOT NULL CHECK (pages >= 0),
  initial_state TEXT NOT NULL,
  traits TEXT NOT NULL,
  measured_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
  PRIMARY KEY (campaign, block, notion),
  FOREIGN KEY (campaign, block, notion) REFERENCES measurement ON DELETE CASCADE,
  CHECK (verdict = 'measured' OR (cycles IS NULL AND half_width IS NULL)),
  CHECK ((verdict = 'measured') = (reason = 'none')),
  CHECK (verdict <> 'measured' OR (cycles IS NOT NULL AND half_width IS NOT NULL AND cycles > 0
                                   AND cycles < 9e999 AND half_width >= 0 AND half_width < 9e999
                                   AND runs > 0))
) STRICT, WITHOUT ROWID;
