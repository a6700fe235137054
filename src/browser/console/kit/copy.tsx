import { useState } from 'preact/hooks'
import { say } from './toast.tsx'

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Browsers have no clipboard for pages on plain HTTP, except at localhost.
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    document.execCommand('copy')
    area.remove()
  }
}

/** Copies a text. `what` names it for people who do not see it: "Copy bearer token". */
export function Copy(props: { text: string | (() => string | Promise<string>); what: string; children?: string }) {
  const [isDone, setDone] = useState(false)
  const run = async () => {
    await copy(typeof props.text === 'string' ? props.text : await props.text())
    setDone(true)
    say(`Copied: ${props.what}`)
    setTimeout(() => setDone(false), 2_000)
  }
  return (
    <button type="button" class="button small" aria-label={`Copy ${props.what}`} onClick={run}>
      {isDone ? 'Copied' : (props.children ?? 'Copy')}
    </button>
  )
}

/** A secret: hidden until it is clicked, and copied without being shown. */
export function Secret(props: { value: string; what: string }) {
  const [isShown, setShown] = useState(false)
  return (
    <span class="secret">
      <code>{isShown ? props.value : '••••••••••••'}</code>
      <button
        type="button"
        class="button small"
        aria-label={`${isShown ? 'Hide' : 'Show'} ${props.what}`}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? 'Hide' : 'Show'}
      </button>
      <Copy text={props.value} what={props.what} />
    </span>
  )
}

/** A text as it is, with a button that copies it. */
export function Code(props: { text: string; what: string }) {
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label={props.what}>
        {props.text}
      </pre>
      <Copy text={props.text} what={props.what} />
    </div>
  )
}
