import type { Static, TSchema } from '../../api-kit/declaring/schema.ts'
import type { EntityOperation } from './entity.ts'
import type { AdsError } from './errors.ts'
import type { AdsAnswer, AdsInput, Params, ValuesOf } from './operation.ts'

/**
 * An operation of an entity that differs from the standard one. `params` and `body` type the input of its handler.
 * A handler that uses the entity itself must be a function declaration with a return type; otherwise the entity's type
 * is circular.
 */
export function replaced<P extends Params = Params, B extends TSchema | undefined = undefined>(
  operation: Omit<EntityOperation, 'params' | 'body' | 'check' | 'handle'> & {
    params?: P
    body?: B
    check?(params: ValuesOf<P>): AdsError[]
    handle?(
      input: AdsInput<ValuesOf<P>, B extends TSchema ? Static<B> : unknown>,
      standard: (input: AdsInput) => Promise<AdsAnswer>,
    ): Promise<AdsAnswer>
  },
): EntityOperation {
  // The handler receives exactly what was read by `params` and `body`.
  return operation as EntityOperation
}
