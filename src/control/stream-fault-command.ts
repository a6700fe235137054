import { closed, Type, words } from '../api-kit/declaring/schema.ts'
import { DISCONNECT_TYPES } from '../api-kit/writing/problem-words.ts'
import { invalidParameter } from '../api-kit/writing/problems.ts'
import { legacyNaming } from '../legacy-words.ts'
import { applyStreamFault } from '../streams/apply-stream-fault.ts'
import { ENDPOINT_NAMES } from '../streams/endpoint-names.ts'
import { STREAM_ACTIONS } from '../streams/stream-fault.ts'
import { defineCommand, findApp, NameOrId } from './command.ts'

const optional = Type.Optional
const EITHER_NAMING = [...new Set(ENDPOINT_NAMES.flatMap((name) => [name, legacyNaming.rename(name)]))]

/** Drops, stalls, resumes or disconnects open streams. */
export const streamFault = defineCommand(
  'stream.fault',
  closed({
    action: words(STREAM_ACTIONS),
    disconnect_type: optional(words(DISCONNECT_TYPES)),
    endpoint: optional(words(EITHER_NAMING)),
    app: optional(NameOrId),
  }),
  async (runtime, { action, disconnect_type: disconnectType, endpoint, app }) => {
    if (disconnectType !== undefined && action !== 'disconnect')
      throw invalidParameter(
        'disconnect_type',
        disconnectType,
        'disconnect_type can only be given with the action disconnect.',
      )
    const appId = app === undefined ? undefined : (await findApp(runtime, app)).id
    const name = endpoint === undefined ? undefined : legacyNaming.restore(endpoint)
    return { streams: await applyStreamFault(runtime, { action, disconnectType, endpoint: name, appId }) }
  },
)
