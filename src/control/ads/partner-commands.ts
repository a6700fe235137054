import { addPartnerKey, MOST_KEYS, readPartnerKeys, removePartnerKey } from '../../ads/partners/partner-keys.ts'
import { closed, Type } from '../../api-kit/declaring/schema.ts'
import { change } from '../../api-kit/runtime.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { isStorableId } from '../../process/ids.ts'
import { type Command, defineCommand, findApp, NameOrId } from '../command.ts'

/** Secrets that partners share with this server, for partner onboarding. */
export const adsPartnerCommands: Command[] = [
  defineCommand('ads.partner_key.create', closed({ app: NameOrId }), async (runtime, args) => {
    const app = await findApp(runtime, args.app)
    const key = await change(runtime, (tx) => addPartnerKey(tx, runtime, app.id))
    if (!key) throw blank(409, `The app has ${MOST_KEYS} keys, and cannot have more. Delete one first.`)
    return { id: key.id, app_id: app.id, app: app.name, secret: key.secret }
  }),
  defineCommand('ads.partner_key.list', closed({ app: NameOrId }), async (runtime, args) => {
    const app = await findApp(runtime, args.app)
    const keys = await readPartnerKeys(runtime, app.id)
    return { keys: keys.map(({ id, createdAt }) => ({ id, created_at: createdAt.toISOString() })) }
  }),
  defineCommand(
    'ads.partner_key.delete',
    closed({ app: NameOrId, id: Type.String({ minLength: 1, maxLength: 19 }) }),
    async (runtime, args) => {
      const app = await findApp(runtime, args.app)
      const isDeleted = isStorableId(args.id) && (await change(runtime, (tx) => removePartnerKey(tx, app.id, args.id)))
      if (!isDeleted) throw blank(404, `The app has no key ${args.id}. ads.partner_key.list lists them.`)
      return { deleted: true }
    },
  ),
]
