import { closed } from '../api-kit/declaring/schema.ts'
import { runTopicWork } from '../social/topic-work.ts'
import { defineCommand } from './command.ts'

/** Makes trends and news now, which a server does every five minutes. */
export const topicsWork = defineCommand('topics.work', closed({}), (runtime) => runTopicWork(runtime))
