import type { webhookShow } from '../../../control/listeners/webhook-commands.ts'
import type { ResultOf } from '../kit/client.ts'
import { momentOf, msOf } from '../kit/format.ts'

/** A challenge as the server kept it. */
export type Challenge = ResultOf<typeof webhookShow>['challenges'][number]

/** What was sent to a receiver, what came back, and what should have come back. */
export function Transcript(props: { challenge: Challenge }) {
  const { challenge } = props
  return (
    <article class="transcript">
      <p>
        <span class={`badge ${challenge.passed ? 'good' : 'bad'}`}>{challenge.passed ? 'passed' : 'failed'}</span>{' '}
        {momentOf(challenge.created_at)}{' '}
        <span class="soft">
          {challenge.cause}, {msOf(challenge.ms)}
        </span>
      </p>
      {challenge.reason && <p>{challenge.reason}</p>}
      <pre tabIndex={0} role="region" aria-label="Transcript of the challenge">
        <span class="sent">{`> GET ${challenge.address}\n`}</span>
        {challenge.status === null ? '< no answer' : `< ${challenge.status}\n${challenge.answer ?? ''}`}
        {!challenge.passed && <span class="expected">{`\n\nexpected {"response_token":"${challenge.expected}"}`}</span>}
      </pre>
    </article>
  )
}
