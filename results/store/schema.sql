-- A store of assay, schema version 10: what was measured, of which blocks, on which machine, and
-- how. This file alone defines the tables. SQLite 3.37 or later can read them.

PRAGMA application_id = 1634956153;  -- "assy" as a big-endian 32-bit number
PRAGMA user_version = 11;            -- the schema version; a store of another one is refused

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
  governor TEXT NOT NULL,    -- frequency governor of the core that was used; 'none' without cpufreq
  smt TEXT NOT NULL,         -- 'on', 'off', 'notsupported', ...; 'unknown'
  cores INTEGER NOT NULL,    -- logical cores online
  walls TEXT NOT NULL,       -- what confined the blocks: 'system-call filter, no capabilities'
  UNIQUE (kernel, microcode, hypervisor, governor, smt, cores, walls)
) STRICT;

-- The profiling of corpora on one machine with one version of assay and one set of settings. A
-- later call with the same machine, environment, program and settings goes on with the same
-- campaign.
CREATE TABLE campaign (
  id INTEGER PRIMARY KEY,
  machine INTEGER NOT NULL REFERENCES machine (id),
  environment INTEGER NOT NULL REFERENCES environment (id),
  program_version TEXT NOT NULL,  -- version of assay
  settings TEXT NOT NULL,         -- all settings as one line of JSON in a fixed order
  protocol TEXT NOT NULL,         -- for queries; also in settings
  clock TEXT NOT NULL,            -- for queries; also in settings
  started_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),  -- UTC, ISO 8601
  UNIQUE (machine, environment, program_version, settings)
) STRICT;

-- A basic block and, if its corpus gives one, the initial state that it is to be run under:
-- 'bhive rdx=0x0 mem=0x40', in its canonical form. Everything else follows from the bytes.
CREATE TABLE block (
  id INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL,                                      -- machine code
  state TEXT NOT NULL DEFAULT '',                           -- '': it runs under the campaign's
  text TEXT NOT NULL,                                       -- Intel syntax
  size INTEGER NOT NULL AS (length(bytes)),                 -- in bytes
  instructions INTEGER NOT NULL CHECK (instructions >= 0),  -- their number, as far as it decodes
  UNIQUE (bytes, state)
) STRICT;

-- A line of a corpus in which a block stands.
CREATE TABLE source (
  block INTEGER NOT NULL REFERENCES block (id),
  corpus TEXT NOT NULL,                        -- name of the corpus
  line INTEGER NOT NULL CHECK (line > 0),      -- counted from 1
  frequency REAL CHECK (frequency >= 0),       -- as that line gives it, in the corpus's own unit
  name TEXT NOT NULL,                          -- what that line calls the block; may be empty
  origin TEXT NOT NULL,                        -- where it was found, by that line; may be empty
  PRIMARY KEY (block, corpus, line)
) STRICT, WITHOUT ROWID;

-- What became of a block under one notion in one campaign. Except for the key and the time, the
-- columns are the fields of Measurement (profiler/measurement/measurement.h) by the same names; its
-- field `instructions` is in the table block.
CREATE TABLE measurement (
  campaign INTEGER NOT NULL REFERENCES campaign (id),
  block INTEGER NOT NULL REFERENCES block (id),
  notion TEXT NOT NULL CHECK (notion <> ''),  -- what "repeatedly" means: 'unrolled', 'looped'
  verdict TEXT NOT NULL CHECK (verdict IN ('measured', 'rejected', 'failed')),
  reason TEXT NOT NULL CHECK (reason <> ''),  -- why there is no number; 'none' if there is one
  detail TEXT NOT NULL,                       -- for people; may be empty
  cycles REAL,                                -- core cycles per copy of the block, if measured
  half_width REAL,                            -- of its 95 % interval (protocol assay), if measured
  runs INTEGER NOT NULL CHECK (runs >= 0),    -- timed runs of the block that the value rests on
  dropped INTEGER NOT NULL CHECK (dropped >= 0),  -- runs left out: outliers, disturbed series
  visits INTEGER NOT NULL CHECK (visits >= 1),    -- how many visits to the block led to this
  settled INTEGER NOT NULL CHECK (settled IN (0, 1)),  -- 1: another visit would not change it
  copies INTEGER NOT NULL CHECK (copies >= 0),    -- the fewest it was timed at, n; 0: not planned
  pages INTEGER NOT NULL CHECK (pages >= 0),      -- virtual pages mapped for it
  initial_state TEXT NOT NULL,                -- the state that it ran under; '': it never ran
  loop_end TEXT NOT NULL,                     -- 'own', 'replaced', 'added'; '': it is no loop
  traits TEXT NOT NULL,                       -- names, with commas between: 'split_line,subnormal'
  measured_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),  -- UTC, ISO 8601
  PRIMARY KEY (campaign, block, notion),
  CHECK (settled OR verdict <> 'measured'),
  -- An estimate that is not good enough is not stored, so that nobody takes it for a value.
  CHECK (verdict = 'measured' OR (cycles IS NULL AND half_width IS NULL)),
  CHECK ((verdict = 'measured') = (reason = 'none')),
  -- An impossible number is never stored as measured. (9e999 is infinity. A comparison with NULL
  -- is NULL, which a CHECK lets pass: that is why IS NOT NULL is needed.)
  CHECK (verdict <> 'measured' OR (cycles IS NOT NULL AND half_width IS NOT NULL AND cycles > 0
                                   AND cycles < 9e999 AND half_width >= 0 AND half_width < 9e999
                                   AND runs > 0))
) STRICT, WITHOUT ROWID;

-- How often an event happened in one copy of a block, counted beside the clock. Rejected blocks
-- have event counts too, since these may be the reason.
CREATE TABLE event_count (
  campaign INTEGER NOT NULL,
  block INTEGER NOT NULL,
  notion TEXT NOT NULL,
  name TEXT NOT NULL CHECK (name <> ''),  -- as it was requested
  position INTEGER NOT NULL CHECK (position > 0),  -- among the block's events, from 1
  per_copy REAL NOT NULL CHECK (per_copy > -9e999 AND per_copy < 9e999),
  half_width REAL NOT NULL CHECK (half_width >= 0 AND half_width < 9e999),  -- of a 95 % interval
  overhead REAL NOT NULL CHECK (overhead > -9e999 AND overhead < 9e999),  -- in a run without copies
  validates INTEGER NOT NULL CHECK (validates IN (0, 1)),  -- 1: it was counted to judge the block
  pass INTEGER NOT NULL CHECK (pass >= 1),  -- number of the pass in which it was counted
  -- core cycles per copy in that pass
  pass_cycles REAL NOT NULL CHECK (pass_cycles > 0 AND pass_cycles < 9e999),
  PRIMARY KEY (campaign, block, notion, name),
  FOREIGN KEY (campaign, block, notion) REFERENCES measurement ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- One of several steady times that visits found a block to have. Rejected blocks have modes too,
-- since these may be the reason.
CREATE TABLE mode (
  campaign INTEGER NOT NULL,
  block INTEGER NOT NULL,
  notion TEXT NOT NULL,
  position INTEGER NOT NULL CHECK (position > 0),  -- among the block's modes, from 1, the usual one
  cycles REAL NOT NULL CHECK (cycles > 0 AND cycles < 9e999),  -- core cycles per copy
  half_width REAL NOT NULL CHECK (half_width >= 0 AND half_width < 9e999),  -- of a 95 % interval
  visits INTEGER NOT NULL CHECK (visits >= 2),           -- how many visits found it
  share REAL NOT NULL CHECK (share > 0 AND share <= 1),  -- of all visits that found a value
  PRIMARY KEY (campaign, block, notion, position),
  FOREIGN KEY (campaign, block, notion) REFERENCES measurement ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- What a measured loop takes if its code lies elsewhere.
CREATE TABLE placement (
  campaign INTEGER NOT NULL,
  block INTEGER NOT NULL,
  notion TEXT NOT NULL,
  position INTEGER NOT NULL CHECK (position > 0),  -- among the block's placements, from 1
  -- of the loop's first instruction, in bytes behind a multiple of 64
  offset INTEGER NOT NULL CHECK (offset BETWEEN 0 AND 63),
  cycles REAL NOT NULL CHECK (cycles > 0 AND cycles < 9e999),  -- core cycles per copy
  half_width REAL NOT NULL CHECK (half_width >= 0 AND half_width < 9e999),  -- of a 95 % interval
  PRIMARY KEY (campaign, block, notion, offset),
  FOREIGN KEY (campaign, block, notion) REFERENCES measurement ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- How far a campaign has come with a corpus, or with a shard of one, under a notion.
CREATE TABLE coverage (
  campaign INTEGER NOT NULL REFERENCES campaign (id),
  corpus TEXT NOT NULL CHECK (corpus <> ''),  -- name of the corpus, as in source
  notion TEXT NOT NULL CHECK (notion <> ''),
  shard INTEGER NOT NULL CHECK (shard >= 1),  -- number of the shard, from 1
  shards INTEGER NOT NULL CHECK (shards >= shard),  -- number of shards; 1: the whole corpus
  block_limit INTEGER NOT NULL CHECK (block_limit >= 0),  -- at most so many distinct blocks; 0: all
  complete INTEGER NOT NULL CHECK (complete IN (0, 1)),  -- 1: every block of it has an outcome
  -- digest of the whole corpus, in hex; '' while it is not known
  digest TEXT NOT NULL CHECK (digest NOT GLOB '*[^0-9a-f]*'),
  blocks INTEGER NOT NULL CHECK (blocks >= 0),  -- distinct blocks in the shard
  PRIMARY KEY (campaign, corpus, notion, shard, shards, block_limit),
  -- Without a limit, what is complete has been read to its end, so that its digest is known.
  CHECK (digest <> '' OR NOT complete OR block_limit > 0),
  CHECK (complete OR blocks = 0)
) STRICT, WITHOUT ROWID;

-- The recheck of a block: a second measurement in the same campaign, which shows whether the
-- campaign agrees with itself. Its columns and checks are those of the table measurement.
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
  visits INTEGER NOT NULL CHECK (visits >= 1),
  settled INTEGER NOT NULL CHECK (settled IN (0, 1)),
  copies INTEGER NOT NULL CHECK (copies >= 0),
  pages INTEGER NOT NULL CHECK (pages >= 0),
  initial_state TEXT NOT NULL,
  loop_end TEXT NOT NULL,
  traits TEXT NOT NULL,
  measured_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
  PRIMARY KEY (campaign, block, notion),
  FOREIGN KEY (campaign, block, notion) REFERENCES measurement ON DELETE CASCADE,
  CHECK (settled OR verdict <> 'measured'),
  CHECK (verdict = 'measured' OR (cycles IS NULL AND half_width IS NULL)),
  CHECK ((verdict = 'measured') = (reason = 'none')),
  CHECK (verdict <> 'measured' OR (cycles IS NOT NULL AND half_width IS NOT NULL AND cycles > 0
                                   AND cycles < 9e999 AND half_width >= 0 AND half_width < 9e999
                                   AND runs > 0))
) STRICT, WITHOUT ROWID;

-- For every other table, what it should hold: see results/store/content_digest.h.
CREATE TABLE digest (
  name TEXT PRIMARY KEY,    -- of the table
  rows INTEGER NOT NULL,    -- how many it has
  value INTEGER NOT NULL    -- the exclusive or of the hashes of all rows
) STRICT, WITHOUT ROWID;
INSERT INTO digest (name, rows, value) VALUES
  ('block', 0, 0),
  ('campaign', 0, 0),
  ('coverage', 0, 0),
  ('environment', 0, 0),
  ('event_count', 0, 0),
  ('machine', 0, 0),
  ('measurement', 0, 0),
  ('mode', 0, 0),
  ('placement', 0, 0),
  ('recheck', 0, 0),
  ('source', 0, 0);
