import { useState } from 'preact/hooks'
import { TextArea } from '../kit/fields.tsx'

/** Where two texts begin to differ; undefined if they are the same. */
export function firstDifference(left: string, right: string): number | undefined {
  if (left === right) return undefined
  let at = 0
  while (left[at] === right[at]) at += 1
  return at
}

function Marked(props: { title: string; text: string; from: number | undefined }) {
  const { text, from } = props
  const end = from === undefined ? text.length : from
  return (
    <div>
      <h4>{props.title}</h4>
      <pre class="base" tabIndex={0} role="region" aria-label={props.title}>
        {text.slice(0, end)}
        {from !== undefined && (
          <>
            <mark>{text.slice(from, from + 1) || '(ends here)'}</mark>
            {text.slice(from + 1)}
          </>
        )}
      </pre>
    </div>
  )
}

/** Two base strings side by side, with the first difference marked. */
function Compared(props: { built: string; received: string }) {
  const from = firstDifference(props.built, props.received)
  return (
    <>
      <div class="compared">
        <Marked title="The server built" text={props.built} from={from} />
        <Marked title="Your program signed" text={props.received} from={from} />
      </div>
      <p class="small">
        {from === undefined
          ? 'The two texts are the same: the difference is in the secrets.'
          : `They differ from character ${from + 1} on.`}
      </p>
    </>
  )
}

/** Why a signature was refused. A program sends only the signature; what it signed is known if it made a mistake that we know. */
export function SignatureDetails(props: { details: Record<string, string> }) {
  const {
    signature_base_string: built,
    signature_base_string_received: received,
    signature_mistake: mistake,
  } = props.details
  const [pasted, setPasted] = useState('')
  if (built === undefined) return null
  return (
    <section>
      <h3>The signature</h3>
      {mistake && (
        <p>
          What your program did otherwise: <strong>{mistake}</strong>.
        </p>
      )}
      {received === undefined ? (
        <>
          <p class="small soft">
            None of the usual mistakes gives the signature that was sent. Paste the base string of your program to
            compare it.
          </p>
          <TextArea
            label="Base string of your program"
            name="pasted"
            rows={3}
            isMono
            value={pasted}
            onValue={setPasted}
          />
          <Compared built={built} received={pasted.trim() === '' ? built : pasted.trim()} />
        </>
      ) : (
        <Compared built={built} received={received} />
      )}
      <p class="small soft">Signed with: {props.details.signing_key}</p>
    </section>
  )
}
