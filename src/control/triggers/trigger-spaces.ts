import { createSpace } from '../../social/spaces/create-space.ts'
import { endSpace } from '../../social/spaces/run-space.ts'
import { spacesOpen } from '../../social/spaces/space.statements.ts'
import { type Trigger, type TriggerContext, type TriggerResult, uniqueText } from './trigger-context.ts'

const liveSpace = async ({ runtime, user }: TriggerContext): Promise<string | undefined> =>
  (await spacesOpen.first(runtime.database, user.id))?.live ?? undefined

/** Starts a new space. A user can be live in one only, so the present one ends first. */
async function startSpace(context: TriggerContext): Promise<TriggerResult> {
  const { runtime, user, first } = context
  const live = await liveSpace(context)
  if (live !== undefined) {
    await endSpace(runtime, live)
    first.push(`@${user.username} ended space ${live}`)
  }
  const title = context.text ?? uniqueText(context, 'Triggered')
  const id = await createSpace(runtime, { creatorId: user.id, title })
  return { done: `@${user.username} started space ${id}`, ids: { space_id: id }, event: { type: 'space.start' } }
}

/** Ends the user's live space. One with the given title, or any where there is none, is started first. */
async function stopSpace(context: TriggerContext): Promise<TriggerResult> {
  const { runtime, user, first } = context
  let id = context.text === undefined ? await liveSpace(context) : undefined
  if (id === undefined) {
    const started = await startSpace(context)
    first.push(started.done)
    id = String(started.ids.space_id)
  }
  await endSpace(runtime, id)
  return { done: `@${user.username} ended space ${id}`, ids: { space_id: id }, event: { type: 'space.end' } }
}

export const spaceTriggers: Readonly<Record<string, Trigger>> = {
  'spaces.start': { does: 'U starts a space with the given title', takes: ['text'], run: startSpace },
  'spaces.end': { does: 'U ends a space', takes: ['text'], run: stopSpace },
}
