-- A population that lives: simulated users, and the lives that were made of them.

-- What is fixed about a simulated user. What advertising may ask about them is in ads_viewer.
create table persona (
  user_id bigint primary key references user_account (id) on delete cascade,
  -- ads_viewer.number.
  viewer int not null unique,
  -- Personas of a seed are numbered from 0.
  seed int not null,
  position int not null,
  -- Minutes that local time is ahead of UTC.
  zone smallint not null,
  -- How many hours later than most people they get up and go to sleep.
  later smallint not null,
  looks_per_day real not null,
  -- How much they do, where 1 is the mean.
  activity real not null,
  -- What they like to read and write about, the favourite first.
  topics smallint[] not null,
  -- What their behaviour remembers.
  memory jsonb,
  unique (seed, position)
);

-- A life: the plan, and how far it is. At most one is not over.
create table life (
  id bigint primary key,
  seed int not null,
  personas int not null,
  -- Product time for one unit of real time; null as fast as possible.
  speed double precision,
  tick_ms int not null,
  feed_order text not null,
  -- Who decides: {"kind": "default"}, {"kind": "file", "path": ...} or {"kind": "agent", "url": ...}.
  behaviour jsonb not null,
  -- The advertising account of a dry life.
  sandbox_account text,
  state text not null check (state in ('making', 'running', 'stopping', 'stopped', 'ended', 'failed')),
  -- Why it failed.
  reason text,
  -- Product time. The first tick is at started_at.
  started_at timestamptz not null,
  ends_at timestamptz not null,
  -- Ticks whose decisions are stored, and ticks whose decisions were also carried out.
  decided int not null default 0,
  done int not null default 0,
  counts jsonb not null default '{}',
  -- Real time.
  busy_ms bigint not null default 0,
  -- The clock ran before it, and runs on after it.
  was_frozen boolean not null default false
);
create unique index life_not_over on life ((true)) where state in ('making', 'running', 'stopping');

-- What was decided in a tick: who looked, by position, and what each of them who did something wanted to do.
create table life_tick (
  life_id bigint not null references life (id) on delete cascade,
  tick int not null,
  looked int[] not null,
  decisions jsonb not null,
  primary key (life_id, tick)
);
