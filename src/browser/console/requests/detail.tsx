import { useState } from 'preact/hooks'
import type { RequestDetail, requestRepeat } from '../../../control/request-detail.ts'
import { CallError, callInterface, command, get, type InterfaceAnswer } from '../kit/client.ts'
import { Code, Copy } from '../kit/copy.tsx'
import { Detail, Facts } from '../kit/detail.tsx'
import { bytesOf, momentOf, msOf, prettyJson } from '../kit/format.ts'
import { Show, useLoaded } from '../kit/load.tsx'
import { attempt } from '../kit/toast.tsx'
import { SignatureDetails } from './difference.tsx'
import { FailNext } from './fail-next.tsx'
import { Status } from './status.tsx'

const repeatOf = (seq: string) => command<typeof requestRepeat>('request.repeat', { seq })

function Message(props: { title: string; headers: Record<string, string>; body?: string | undefined; bytes: number }) {
  const { body, bytes } = props
  const lines = Object.entries(props.headers).map(([name, value]) => `${name}: ${value}`)
  const isCut = body !== undefined && new TextEncoder().encode(body).length < bytes
  return (
    <section>
      <h3>{props.title}</h3>
      <Code text={lines.join('\n')} what={`headers of the ${props.title.toLowerCase()}`} />
      {body !== undefined && <Code text={prettyJson(body)} what={`body of the ${props.title.toLowerCase()}`} />}
      {bytes > 0 && (
        <p class="small soft">
          {bytesOf(bytes)}
          {body === undefined ? ', not kept' : isCut ? ', only the beginning is kept' : ''}
        </p>
      )}
    </section>
  )
}

function Again(props: { answer: InterfaceAnswer }) {
  const { status, text, ms } = props.answer
  return (
    <section aria-live="polite">
      <h3>
        Sent again: <Status status={status} /> <span class="soft">{msOf(ms)}</span>
      </h3>
      <Code text={prettyJson(text)} what="new answer" />
    </section>
  )
}

/** One request with everything that is known about it. */
export function RequestDetails(props: { seq: string; close: () => void }) {
  const { seq } = props
  const loaded = useLoaded(() => get<RequestDetail>(`/_rostra/requests/${seq}`), [seq])
  const [again, setAgain] = useState<{ seq: string; answer: InterfaceAnswer }>()
  const [isFailing, setFailing] = useState(false)
  const send = () =>
    attempt(undefined, async () => {
      const { method, path, headers, body } = await repeatOf(seq)
      const { authorization, ...others } = headers
      setAgain({
        seq,
        answer: await callInterface(method, path, { authorization, headers: others, body: body ?? undefined }),
      })
    })
  const curl = () =>
    repeatOf(seq).then(
      (made) => made.curl,
      (error: unknown) => {
        if (!(error instanceof CallError)) throw error
        return `# ${error.message}`
      },
    )
  const request = loaded.value
  return (
    <Detail
      title={request ? <span class="mono">{`${request.method} ${request.path.split('?')[0]}`}</span> : 'Request'}
      close={props.close}
    >
      <Show loaded={loaded}>
        {(item) => (
          <>
            <div class="actions first-actions">
              <Copy text={curl} what="the request as curl">
                Copy as curl
              </Copy>
              <button type="button" class="button small" onClick={send}>
                Send again
              </button>
              <button type="button" class="button small" onClick={() => setFailing(true)}>
                Fail the next one
              </button>
            </div>
            {item.reason && (
              <p class="alert">
                <strong>Why: </strong>
                {item.reason}
              </p>
            )}
            {again?.seq === seq && <Again answer={again.answer} />}
            {item.details && <SignatureDetails details={item.details} />}
            <Facts
              facts={[
                ['Status', <Status key="status" status={item.status} />],
                ['Path', <code key="path">{item.path}</code>],
                ['Operation', item.operation],
                ['App', item.app && <bdi>{item.app}</bdi>],
                ['User', item.user && `@${item.user}`],
                ['Credential', item.credential],
                ['Naming', item.naming],
                ['Time', `${momentOf(item.time)} UTC`],
                ['Took', msOf(item.latency_ms)],
                ['Cost', item.cost_micros ? `${item.cost_micros / 1_000_000}` : undefined],
                ['Fault', item.fault && `${item.fault.effect} (set by an operator)`],
              ]}
            />
            {item.exchange ? (
              <>
                <Message
                  title="Request"
                  headers={item.exchange.request_headers}
                  body={item.exchange.request_body}
                  bytes={item.exchange.request_bytes}
                />
                <Message
                  title="Answer"
                  headers={item.exchange.response_headers}
                  body={item.exchange.response_body}
                  bytes={item.exchange.response_bytes}
                />
              </>
            ) : (
              <p class="soft">Headers and bodies of this request are not kept, or no longer.</p>
            )}
            {isFailing && <FailNext request={item} close={() => setFailing(false)} />}
          </>
        )}
      </Show>
    </Detail>
  )
}
