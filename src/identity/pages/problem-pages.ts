import { defineEndpoint, type Endpoint } from '../../api-kit/declaring/endpoint.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { pageAnswer } from '../sign-in/browser.ts'
import { messagePage } from './index.ts'

/** What each problem type means, for people who open its address. */
const MEANINGS: Record<string, [title: string, ...paragraphs: string[]]> = {
  'client-disconnected': [
    'The client went away',
    'The connection was closed by the client before the answer was complete.',
  ],
  'client-forbidden': [
    'The app may not do this',
    'The tier of the app does not include this endpoint or option. `reason` says whether the app is not enrolled or not allowed at all.',
    'On your own server you change the tier: rostra app list shows the apps, and the control interface sets the tier.',
  ],
  conflict: ['A job is running', 'A job of this kind is in progress, and another one can start when it has ended.'],
  'disallowed-resource': [
    'The resource breaks a rule',
    'The resource exists but violates the rules of this interface. resource_id, resource_type and section say which.',
  ],
  'duplicate-rules': ['The rule exists', 'A rule with the same value is there already. id and value name it.'],
  'invalid-request': [
    'The request is invalid',
    'Each item of errors has a message and the parameters it is about, with the values as they were sent.',
  ],
  'invalid-rules': ['The rule is invalid', 'The rule could not be read. The detail says where and why.'],
  'noncompliant-rules': ['The rules do not comply', 'The rule set goes against the rules of the interface.'],
  'not-authorized-for-field': [
    'The field is not for this caller',
    'Private metrics are shown to the author of a post, for thirty days. field, resource_type and section say what was withheld.',
  ],
  'not-authorized-for-resource': [
    'The resource is not for this caller',
    'The object exists, but its owner is protected or suspended, or one of both blocks the other.',
  ],
  'oauth1-permissions': [
    'The permission level is too low',
    'The OAuth 1.0a token allows less than this endpoint needs. Raise the level of the app and let the user approve again.',
  ],
  'operational-disconnect': [
    'The stream was ended',
    'The server ended the connection for the reason in disconnect_type. Connect again, with growing pauses.',
  ],
  'resource-not-found': [
    'There is no such resource',
    'parameter and value say what was asked for; the object never existed or was deleted.',
  ],
  'resource-unavailable': ['The resource is unavailable', 'The object exists but can not be had now.'],
  'rule-cap': [
    'Too many rules',
    'The number of rules that the tier includes is reached. Remove rules before adding others.',
  ],
  'streaming-connection': [
    'The stream can not be opened',
    'connection_issue says why: too many connections, no rules, or a subscription that is not ready.',
  ],
  'unsupported-authentication': [
    'Another kind of credential is needed',
    'The detail names the kinds of authentication that this endpoint takes.',
  ],
  'usage-capped': ['The usage cap is reached', 'period and scope say which cap was used up.'],
}

export const problemSlugs = Object.keys(MEANINGS)

/** The pages behind the `type` addresses of problems. */
export const problemPages: Endpoint[] = [
  defineEndpoint('problemPage', 'GET /2/problems/{slug}', async (_request, _house, { path }) => {
    const slug = path.slug ?? ''
    const meaning = Object.hasOwn(MEANINGS, slug) ? MEANINGS[slug] : undefined
    if (!meaning) throw blank(404, `There is no problem type of this name. The types are: ${problemSlugs.join(', ')}.`)
    const [title, ...paragraphs] = meaning
    return pageAnswer(
      messagePage({ title, paragraphs, tone: 'info', details: [{ name: 'type', value: slug }] }),
      undefined,
    )
  }),
]
