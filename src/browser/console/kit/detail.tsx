import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { onEscape } from './keys.ts'

/** A pane beside a list, or over it on a phone. Esc and the button close it. */
export function Detail(props: { title: ComponentChildren; close: () => void; children: ComponentChildren }) {
  const close = useRef(props.close)
  close.current = props.close
  useEffect(() => onEscape(() => close.current()), [])
  return (
    <aside class="detail" data-detail aria-label="Details">
      <header>
        <h2>{props.title}</h2>
        <button type="button" class="button quiet" onClick={props.close}>
          Close
        </button>
      </header>
      {props.children}
    </aside>
  )
}

/** Names and values. Those without a value are left out. */
export function Facts(props: { facts: [name: string, value: ComponentChildren][] }) {
  return (
    <dl class="facts">
      {props.facts
        .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  )
}
