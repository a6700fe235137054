import { closed, type Static } from '../../api-kit/declaring/schema.ts'
import { App, Post, User } from './people.schema.ts'
import { list, optional } from './schema-values.ts'

// The one declaration of world files. `schemas/world.schema.json` is made from it.

/** A world as a file describes it. */
export const WorldSchema = closed({
  users: optional(list(User, 100_000, 'Users.')),
  apps: optional(list(App, 1_000, 'Apps of developers.')),
  posts: optional(list(Post, 100_000, 'Posts with what happened to them.')),
})

export type World = Static<typeof WorldSchema>
