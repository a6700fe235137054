import { defineEndpoint, type Endpoint, withHead } from '../../api-kit/declaring/endpoint.ts'
import { blank } from '../../api-kit/writing/problems.ts'
import { pageAnswer } from '../sign-in/browser.ts'
import { messagePage } from './index.ts'

/** What each problem type means, for people who open its address. */
const MEANINGS: Record<string, [title: string, ...paragraphs: string[]]> = {
  'client-disconnected': [
    'The client disconnected',
    'The client closed the connection before the answer was complete.',
  ],
  'client-forbidden': [
    'The app may not do this',
    'The tier of the app does not include this endpoint or option. The member reason says whether the app is not enrolled or not allowed at all.',
    'On your own server you can change the tier: "rostra app list" shows the apps, and the control interface sets the tier.',
  ],
  conflict: ['A job is running', 'A job of this kind is running. You can start another one when it has ended.'],
  'disallowed-resource': [
    'The resource violates a rule',
    'The resource exists but violates the rules of this interface. The members resource_id, resource_type and section say which one it is.',
  ],
  'duplicate-rules': [
    'The rule exists already',
    'A rule with the same value already exists. The members id and value identify it.',
  ],
  'invalid-request': [
    'The request is invalid',
    'Each item of errors has a message and the parameters that it is about, with the values as they were sent.',
  ],
  'invalid-rules': ['The rule is invalid', 'The rule is not valid. The member details says where and why.'],
  'noncompliant-rules': ['The rules do not comply', 'The set of rules violates the rules of this interface.'],
  'not-authorized-for-field': [
    'The caller may not see this field',
    'Only the author of a post can see its private metrics, for thirty days. The members field, resource_type and section say what was withheld.',
  ],
  'not-authorized-for-resource': [
    'The caller may not see this resource',
    'The object exists, but its owner is protected or suspended, or one of you blocks the other.',
  ],
  'oauth1-permissions': [
    'The permission level is too low',
    'The OAuth 1.0a token allows less than this endpoint needs. Raise the permission level of the app and let the user approve it again.',
  ],
  'operational-disconnect': [
    'The stream was ended',
    'The server ended the connection for the reason in disconnect_type. Connect again, and wait longer after each failure.',
  ],
  'resource-not-found': [
    'There is no such resource',
    'The members parameter and value say what was requested. The object never existed or was deleted.',
  ],
  'resource-unavailable': ['The resource is unavailable', 'The object exists but is not available now.'],
  'rule-cap': ['Too many rules', 'You have as many rules as the tier includes. Remove rules before you add others.'],
  'streaming-connection': [
    'The stream cannot be opened',
    'The member connection_issue says why: too many connections, no rules, or a subscription that is not ready.',
  ],
  'unsupported-authentication': [
    'Another kind of credential is needed',
    'The detail lists the kinds of authentication that this endpoint takes.',
  ],
  'usage-capped': ['The usage cap is reached', 'The members period and scope say which cap was reached.'],
}

const problemSlugs = Object.keys(MEANINGS)

/** The pages at the `type` addresses of problems. */
export const problemPages: Endpoint[] = [
  withHead(
    defineEndpoint('problemPage', 'GET /2/problems/{slug}', async (_request, _runtime, { path }) => {
      const slug = path.slug ?? ''
      const meaning = Object.hasOwn(MEANINGS, slug) ? MEANINGS[slug] : undefined
      if (!meaning)
        throw blank(404, `There is no problem type with this name. The types are: ${problemSlugs.join(', ')}.`)
      const [title, ...paragraphs] = meaning
      return pageAnswer(
        messagePage({ title, paragraphs, tone: 'info', details: [{ name: 'type', value: slug }] }),
        undefined,
      )
    }),
  ),
]
