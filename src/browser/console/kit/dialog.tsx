import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** A window over the page. Esc closes it, and the focus goes back to where it was. */
export function Dialog(props: { title: string; close: () => void; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.showModal()
  }, [])
  return (
    <dialog ref={element} onClose={props.close} aria-label={props.title}>
      <header>
        <h2>{props.title}</h2>
        <button type="button" class="button quiet" onClick={() => element.current?.close()}>
          Close
        </button>
      </header>
      {props.children}
    </dialog>
  )
}

interface Question {
  title: string
  words: string
  action: string
  answer: (isSure: boolean) => void
}

const question = signal<Question | undefined>(undefined)

/** Asks before something that cannot be undone: `if (await confirm({ ... })) ...`. */
export const confirm = (asked: { title: string; words: string; action: string }): Promise<boolean> =>
  new Promise((answer) => {
    question.value = { ...asked, answer }
  })

/** Shows what `confirm` asks. The application has it once. */
export function Confirmation() {
  const asked = question.value
  if (!asked) return null
  const answer = (isSure: boolean) => {
    question.value = undefined
    asked.answer(isSure)
  }
  return (
    <Dialog title={asked.title} close={() => answer(false)}>
      <p>{asked.words}</p>
      <div class="actions">
        <button type="button" class="button first" onClick={() => answer(true)}>
          {asked.action}
        </button>
        <button type="button" class="button" onClick={() => answer(false)}>
          Cancel
        </button>
      </div>
    </Dialog>
  )
}
