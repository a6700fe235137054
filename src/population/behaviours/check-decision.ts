import { isStorableId } from '../../process/ids.ts'
import { hasNul, jsonText } from '../../storage/json-text.ts'
import { ACTION_KINDS, isCountedKind, isOperationKind, operationKind } from '../actions/action-kinds.ts'
import { LifeError } from '../life.ts'
import type { Persona } from '../personas/load-personas.ts'
import type { Action, Decision } from './behaviour.ts'

const MOST_ACTIONS = 20
const MOST_TEXT = 25_000
const MOST_MEMORY = 4_096
const MEMBERS = ['post_id', 'user_id', 'list_id', 'text', 'query'] as const

/** Checks what a behaviour of a file or an agent answered. The operations check the rest. */
export function checkDecision(given: unknown, persona: Persona): Decision {
  const wrong = (what: string) => new LifeError(`The behaviour decided wrongly for @${persona.username}: ${what}.`)
  if (typeof given !== 'object' || given === null) throw wrong('a decision must be an object with actions')
  const { actions, memory } = given as Record<string, unknown>
  if (!Array.isArray(actions) || actions.length > MOST_ACTIONS)
    throw wrong(`actions must be a list of at most ${MOST_ACTIONS}`)
  return {
    actions: actions.map((action) => checkAction(action, wrong)),
    ...(memory === undefined ? {} : { memory: checkMemory(memory, wrong) }),
  }
}

/** What is remembered, as it will be read again. */
function checkMemory(given: unknown, wrong: (what: string) => LifeError): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw wrong('memory must be an object')
  let text: string
  try {
    text = jsonText(given)
  } catch {
    // It is nested too deep, or has something that is not JSON.
    throw wrong('memory must be JSON')
  }
  if (text.length > MOST_MEMORY) throw wrong(`memory must be at most ${MOST_MEMORY} characters`)
  if (hasNul(text)) throw wrong('memory cannot contain the character U+0000')
  return JSON.parse(text) as Record<string, unknown>
}

function checkAction(given: unknown, wrong: (what: string) => LifeError): Action {
  if (typeof given !== 'object' || given === null) throw wrong('an action must be an object')
  const { kind, ...others } = given as Record<string, unknown>
  const name = String(kind)
  if (!isOperationKind(name) && !isCountedKind(name))
    throw wrong(`kind [${name.slice(0, 50)}] is not one of ${ACTION_KINDS.join(', ')}`)
  const needs = isCountedKind(name) ? (['post_id'] as const) : operationKind(name).needs
  const action: Action = { kind: name }
  for (const member of MEMBERS) {
    const value = others[member]
    if (value === undefined) continue
    if (typeof value !== 'string' || value.length > MOST_TEXT) throw wrong(`${member} of ${name} must be text`)
    if (value.includes('\0')) throw wrong(`${member} of ${name} cannot contain the character U+0000`)
    action[member] = JSON.parse(jsonText(value)) as string
  }
  for (const member of needs) if (action[member] === undefined) throw wrong(`${name} needs ${member}`)
  // No operation looks at it.
  if (isCountedKind(name) && !isStorableId(action.post_id!)) throw wrong(`post_id of ${name} must be the id of a post`)
  return action
}
