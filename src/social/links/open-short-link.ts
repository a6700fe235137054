import { defineEndpoint } from '../../api-kit/declaring/endpoint.ts'
import { redirect } from '../../api-kit/writing/answer.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { statement } from '../../storage/statement.ts'

const urlByCode = statement('short_link_by_code', { url: 'text' }, 'select url from short_link where code = $1')

/** Redirects short links that are opened on this server. */
export const shortLinkEndpoints = [
  defineEndpoint('openShortLink', 'GET /i/links/{code}', async (_request, runtime, { path }) => {
    const found = await urlByCode.first(runtime.database, (path.code ?? '').replaceAll('\0', ''))
    if (!found) throw blank(404, 'There is no such short link.')
    return redirect(found.url)
  }),
]
