import { defineOperation } from '../../api-kit/declaring/operation.ts'
import { booleanParameter } from '../../api-kit/declaring/parameters.ts'
import { listReply } from '../../api-kit/declaring/reply.ts'
import { Type } from '../../api-kit/declaring/schema.ts'
import { PageMeta, pages, readKeyedPage } from '../../api-kit/reading/paging.ts'
import { selects } from '../../api-kit/reading/selection.ts'
import { answerPage } from '../../api-kit/writing/answer-objects.ts'
import { note } from './note.object.ts'
import { notesWritten } from './note.statements.ts'
import { checkTestMode, findWriter } from './note-writers.ts'

export const searchCommunityNotesWritten = defineOperation({
  id: 'searchCommunityNotesWritten',
  route: 'GET /2/notes/search/notes_written',
  tag: 'Community Notes',
  summary: 'List the community notes that the caller wrote',
  auth: { oauth1: true, oauth2: ['post.read'] },
  limit: { user: '90/15m' },
  query: {
    test_mode: booleanParameter(),
    ...pages({ min: 1, max: 100, initial: 10, token: 'base36' }),
    ...selects(() => note),
  },
  reply: listReply('Get2NotesSearchNotesWrittenResponse', note, Type.Pick(PageMeta, ['next_token', 'result_count'])),
  handle: async ({ query, caller, runtime, context }) => {
    const writer = await findWriter(runtime, caller)
    checkTestMode(query.test_mode)
    const { ids, meta } = await readKeyedPage(runtime.database, query.page, notesWritten, writer.id)
    const { next_token } = meta
    return answerPage(context, ids, query.selection, next_token === undefined ? {} : { next_token })
  },
})
