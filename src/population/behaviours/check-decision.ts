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
  if (memory !== undefined) {
    if (typeof memory !== 'object' || memory === null || Array.isArray(memory)) throw wrong('memory must be an object')
    if (JSON.stringify(memory).length > MOST_MEMORY) throw wrong(`memory must be at most ${MOST_MEMORY} characters`)
  }
  return {
    actions: actions.map((action) => checkAction(action, wrong)),
    ...(memory === undefined ? {} : { memory: memory as Record<string, unknown> }),
  }
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
    action[member] = value
  }
  for (const member of needs) if (action[member] === undefined) throw wrong(`${name} needs ${member}`)
  return action
}
