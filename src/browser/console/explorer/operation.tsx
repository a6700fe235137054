import { useEffect, useState } from 'preact/hooks'
import { CallError } from '../kit/client.ts'
import { Copy } from '../kit/copy.tsx'
import { Select, TextArea, TextField } from '../kit/fields.tsx'
import { bytesOf, msOf, prettyJson } from '../kit/format.ts'
import { acting, chooseActing } from '../world/calls.ts'
import { UserField } from '../world/parts.tsx'
import { asCurl, asFetch, asRequests, asTweepy, HIDDEN } from './code.ts'
import { type ApiDocument, type Credential, type Described, resolve, type Schema } from './document.ts'
import {
  authorizationOf,
  buildRequest,
  isPlain,
  type Received,
  type Request,
  type Secrets,
  type Sender,
  secretsOf,
  send,
} from './request.ts'

const MOST_NAMED = 14

/** What may be typed into a field, in a few words. */
function helpOf(document: ApiDocument, schema: Schema): string | undefined {
  const items = schema.items && resolve(document, schema.items)
  const words = items?.enum
  if (words)
    return `Some of: ${words.slice(0, MOST_NAMED).join(', ')}${words.length > MOST_NAMED ? ' …' : ''}, with commas between`
  if (schema.type === 'array') return items && isPlain(items) ? 'Several, with commas between' : 'JSON'
  if (schema.default !== undefined) return `${JSON.stringify(schema.default)} when empty`
  return isPlain(schema) ? schema.format : 'JSON'
}

/** The names of members of an object, so it need not be looked up. */
function skeletonOf(document: ApiDocument, schema: Schema): string {
  const { properties } = schema.oneOf || schema.anyOf ? resolve(document, (schema.oneOf ?? schema.anyOf)![0]!) : schema
  if (!properties) return ''
  return `{ ${Object.keys(properties)
    .slice(0, 8)
    .map((name) => `"${name}": …`)
    .join(', ')} }`
}

function SchemaField(props: {
  document: ApiDocument
  name: string
  label: string
  schema: Schema
  isRequired: boolean
  value: string | undefined
  onValue: (value: string) => void
}) {
  const { document, label, isRequired, value = '', onValue } = props
  const schema = resolve(document, props.schema)
  const words = schema.enum ?? (schema.type === 'boolean' ? ['true', 'false'] : undefined)
  const field = { label: isRequired ? `${label} (required)` : label, name: props.name, isRequired, value, onValue }
  if (words) return <Select {...field} options={[['', ''], ...words.map((word): [string, string] => [word, word])]} />
  const help = helpOf(document, schema)
  const isLine = isPlain(schema) || (schema.type === 'array' && help !== 'JSON')
  if (!isLine) return <TextArea {...field} rows={3} isMono help={`JSON ${skeletonOf(document, schema)}`} />
  if (schema.type === 'string' && /^(text|description)$/.test(label))
    return <TextArea {...field} rows={2} help={help} />
  return <TextField {...field} help={help} />
}

/** The members of a body: required ones and texts first, those that need JSON last. */
function sortMembers(document: ApiDocument, body: Schema | undefined): [string, Schema][] {
  const rank = ([name, schema]: [string, Schema]) =>
    body?.required?.includes(name) ? 0 : name === 'text' ? 1 : isPlain(resolve(document, schema)) ? 2 : 3
  return Object.entries(body?.properties ?? {}).sort((left, right) => rank(left) - rank(right))
}

const KINDS: Record<Credential, string> = {
  user: 'A user, by OAuth 2.0',
  oauth1: 'A user, by OAuth 1.0a',
  app: 'An app, by its bearer token',
  none: 'Nobody',
}

/** The form of an operation, the request that it makes, and the answer. */
export function OperationPane(props: {
  document: ApiDocument
  operation: Described
  words: readonly [RegExp, string][]
}) {
  const { document, operation } = props
  const [fields, setFields] = useState<Record<string, string>>({})
  const [kind, setKind] = useState<Credential>(operation.credentials[0]!)
  const [app, setApp] = useState('')
  const [server, setServer] = useState(document.servers[0] ?? '')
  const [received, setReceived] = useState<Received>()
  const [error, setError] = useState<string>()
  const [stop, setStop] = useState<AbortController>()
  useEffect(() => () => stop?.abort(), [stop])
  useEffect(() => void chooseActing(), [])

  const sender: Sender = { kind, user: acting.value, app }
  const set = (name: string) => (value: string) => setFields((before) => ({ ...before, [name]: value }))
  const body = operation.body && resolve(document, operation.body)
  const members = sortMembers(document, body)

  let request: Request | undefined
  let fault: string | undefined
  try {
    request = buildRequest(document, operation, fields, server)
  } catch (thrown) {
    if (!(thrown instanceof CallError)) throw thrown
    fault = thrown.message
  }

  const submit = async () => {
    if (!request) return
    const control = new AbortController()
    setStop(control)
    setError(undefined)
    setReceived(undefined)
    try {
      const authorization = await authorizationOf(request, await secretsOf(sender))
      await send(request, authorization, control.signal, setReceived)
    } catch (thrown) {
      if (thrown instanceof CallError) setError(thrown.message)
      else if (!control.signal.aborted) setError('The connection ended.')
      setReceived((before) => before && { ...before, isOpen: false })
    }
  }

  return (
    <section aria-label={operation.id}>
      <h2>{operation.summary || operation.id}</h2>
      <p class="mono">
        {operation.method} {operation.path}
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <div class="row">
          <Select
            label="Send as"
            name="kind"
            value={kind}
            options={operation.credentials.map((name): [string, string] => [name, KINDS[name]])}
            onValue={(value) => setKind(value as Credential)}
          />
          {(kind === 'user' || kind === 'oauth1') && (
            <UserField
              label="User"
              name="user"
              value={acting.value}
              onValue={(value) => {
                acting.value = value
              }}
            />
          )}
          {kind !== 'none' && <TextField label="App" name="app" value={app} onValue={setApp} placeholder="the first" />}
          {document.servers.length > 1 && (
            <Select label="Server" name="server" value={server} options={document.servers} onValue={setServer} />
          )}
        </div>
        {operation.parameters.map((parameter) => (
          <SchemaField
            key={parameter.name}
            document={document}
            name={`${parameter.in}.${parameter.name}`}
            label={parameter.name}
            schema={parameter.schema}
            isRequired={parameter.required}
            value={fields[`${parameter.in}.${parameter.name}`]}
            onValue={set(`${parameter.in}.${parameter.name}`)}
          />
        ))}
        {members.map(([name, schema]) => (
          <SchemaField
            key={name}
            document={document}
            name={`body.${name}`}
            label={name}
            schema={schema}
            isRequired={body?.required?.includes(name) ?? false}
            value={fields[`body.${name}`]}
            onValue={set(`body.${name}`)}
          />
        ))}
        {body && members.length === 0 && (
          <TextArea
            label="Body"
            name="body"
            rows={6}
            isMono
            help="JSON"
            value={fields.body ?? ''}
            onValue={set('body')}
          />
        )}
        {(error ?? fault) && (
          <p class="alert" role="alert">
            {error ?? fault}
          </p>
        )}
        <div class="actions">
          <button type="submit" class="button first" disabled={!request}>
            Send
          </button>
          {received?.isOpen && (
            <button type="button" class="button" onClick={() => stop?.abort()}>
              Stop
            </button>
          )}
        </div>
      </form>
      {received && <Answer received={received} />}
      {request && (
        <CodeOf operation={operation} request={request} fields={fields} sender={sender} words={props.words} />
      )}
    </section>
  )
}

function Answer({ received }: { received: Received }) {
  const { status, headers, text, ms, isOpen } = received
  return (
    <div class="card" aria-live="polite">
      <h2>
        <span class={`badge ${status < 400 ? 'good' : 'bad'}`}>{status}</span> {msOf(ms)}, {bytesOf(text.length)}
        {isOpen && ', open'}
      </h2>
      <details>
        <summary>{headers.length} headers</summary>
        <pre class="small" tabIndex={0}>
          {headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
        </pre>
      </details>
      <div class="code">
        <pre tabIndex={0} role="region" aria-label="Answer">
          {prettyJson(text)}
        </pre>
        <Copy text={text} what="answer" />
      </div>
    </div>
  )
}

const LANGUAGES = ['curl', 'fetch', 'requests', 'tweepy'] as const
type Language = (typeof LANGUAGES)[number]

function CodeOf(props: {
  operation: Described
  request: Request
  fields: Record<string, string>
  sender: Sender
  words: readonly [RegExp, string][]
}) {
  const { operation, request, fields, sender, words } = props
  const [language, setLanguage] = useState<Language>('curl')
  const write = (secrets: Secrets, authorization: string | undefined) =>
    language === 'curl'
      ? asCurl(request, secrets, authorization)
      : language === 'fetch'
        ? asFetch(request, secrets, authorization)
        : language === 'requests'
          ? asRequests(request, secrets)
          : (asTweepy(operation, request, fields, secrets, words) ?? 'tweepy has no method for this operation.')
  const hidden =
    sender.kind === 'none' ? {} : sender.kind === 'oauth1' ? { oauth1: HIDDEN.oauth1! } : { bearer: HIDDEN.bearer! }
  const shown = write(hidden, sender.kind === 'oauth1' ? 'OAuth ••••••••' : undefined)
  return (
    <div class="card">
      <h2>The request as code</h2>
      <div class="acts" role="group" aria-label="Language">
        {LANGUAGES.map((name) => (
          <button
            key={name}
            type="button"
            class="button small"
            aria-pressed={name === language}
            onClick={() => setLanguage(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="code">
        <pre tabIndex={0} role="region" aria-label={`Request as ${language}`}>
          {shown}
        </pre>
        <Copy
          what={`request as ${language}, with its secrets`}
          text={async () => {
            const secrets = await secretsOf(sender)
            return write(secrets, await authorizationOf(request, secrets))
          }}
        />
      </div>
      <p class="soft small">Secrets are hidden here. What is copied has them.</p>
    </div>
  )
}
