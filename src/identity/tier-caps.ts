import type { Caller, Tier } from '../api-kit/declaring/caller.ts'

/** Limits of the tiers. The free tier has those of self-serve, unless the interface says otherwise. */
const CAPS = {
  /** Webhooks of a developer account. */
  webhooks: { free: 1, 'self-serve': 1, enterprise: 50, partner: 50 },
  /** Activity subscriptions of an app. */
  activity_subscriptions: { free: 1_500, 'self-serve': 1_500, enterprise: 75_000, partner: 150_000 },
  /** Users of a developer account whose account activity is delivered. */
  account_activity_users: { free: 3, 'self-serve': 3, enterprise: 5_000, partner: 5_000 },
  /** Rules of the filtered stream, per project. */
  stream_rules: { free: 1_000, 'self-serve': 1_000, enterprise: 25_000, partner: 25_000 },
  /** Characters of one rule. */
  stream_rule_length: { free: 1_024, 'self-serve': 1_024, enterprise: 2_048, partner: 2_048 },
  /** Lines per second of one stream. */
  stream_lines_per_second: { free: 250, 'self-serve': 250, enterprise: Infinity, partner: Infinity },
  /** Posts that a project may read in a calendar month. Above self-serve it is part of the contract; these are generous ones. */
  monthly_posts: { free: 3_000_000, 'self-serve': 3_000_000, enterprise: 200_000_000, partner: 1_000_000_000 },
} satisfies Record<string, Record<Tier, number>>

type Cap = keyof typeof CAPS

/** A limit of the caller's tier. */
export const capOf = (caller: { app: Pick<Caller['app'], 'tier'> }, cap: Cap): number => CAPS[cap][caller.app.tier]

/** Tiers that may like, follow and quote through the interface. */
export const FULL_TIERS: readonly Tier[] = ['enterprise', 'partner']

export const hasFullTier = (caller: Pick<Caller, 'app'>): boolean => FULL_TIERS.includes(caller.app.tier)
