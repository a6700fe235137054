import { CONTENT_CATEGORY_IDS } from '../../ads/categories/content-categories.data.ts'
import { setPublisher } from '../../ads/categories/publishers.ts'
import { closed, Type, words } from '../../api-kit/declaring/schema.ts'
import { defineCommand, findUser, NameOrId } from '../command.ts'

const optional = Type.Optional
const Countries = Type.Array(Type.String({ pattern: '^[A-Z]{2}$' }), { minItems: 1, maxItems: 300 })

/** Makes a user a publisher, whose videos can start with advertisements, or ends that. */
export const publisherSet = defineCommand(
  'ads.publisher.set',
  closed({
    user: NameOrId,
    countries: optional(Countries),
    promotable_countries: optional(Countries),
    content_categories: optional(Type.Array(words(CONTENT_CATEGORY_IDS))),
    restricted: optional(Type.Boolean()),
    remove: optional(Type.Boolean()),
  }),
  async (runtime, args) => {
    const user = await findUser(runtime, args.user, 'user')
    const countries = args.countries ?? ['US']
    const terms = {
      restricted: args.restricted ?? false,
      monetizableCountries: countries,
      promotableCountries: args.promotable_countries ?? countries,
      contentCategoryIds: args.content_categories ?? [],
    }
    await setPublisher(runtime.database, user.id, args.remove ? undefined : terms)
    return { user: user.username, publisher: !args.remove }
  },
)
