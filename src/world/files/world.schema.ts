import { closed, type Static } from '../../api-kit/declaring/schema.ts'
import { App, Post, User } from './people.schema.ts'
import { list, optional } from './schema-values.ts'
import { ActivitySubscription, AdsAccount, Community, List, Message, Rule, Webhook } from './things.schema.ts'

// The one declaration of world files. `schemas/world.schema.json` is made from it.

/** A world as a file describes it. */
export const WorldSchema = closed({
  users: optional(list(User, 100_000, 'Users.')),
  apps: optional(list(App, 1_000, 'Apps of developers.')),
  communities: optional(list(Community, 1_000, 'Communities.')),
  posts: optional(list(Post, 100_000, 'Posts with what happened to them.')),
  lists: optional(list(List, 10_000, 'Lists.')),
  webhooks: optional(list(Webhook, 1_000, 'Webhooks of apps.')),
  rules: optional(list(Rule, 25_000, 'Rules of the filtered stream.')),
  activity_subscriptions: optional(list(ActivitySubscription, 10_000, 'Activity subscriptions of apps.')),
  messages: optional(list(Message, 100_000, 'Direct messages.')),
  ads_accounts: optional(list(AdsAccount, 1_000, 'Advertising accounts.')),
})

export type World = Static<typeof WorldSchema>
