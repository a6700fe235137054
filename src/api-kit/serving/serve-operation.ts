import type { Family, FamilyOperation } from '../family.ts'
import type { FaultTarget } from '../faults/failure.ts'
import type { Naming } from '../naming/naming.ts'
import { Problem } from '../writing/problem.ts'
import type { HttpReply, HttpRequest } from './http-exchange.ts'
import { refuseWritesWhenFull } from './outage-problem.ts'
import { type ServeOptions, serveRequest, unexpected } from './serve-request.ts'

/** Makes the request handler of one route of an operation. `pathNaming` is the naming of the path, if the path differs between the namings. */
export function serveOperation<O extends FamilyOperation, State>(
  family: Family<O, State>,
  operation: O,
  pathNaming: Naming | undefined,
  options: ServeOptions,
): (request: HttpRequest, reply: HttpReply) => Promise<void> {
  const phases = family.phases(operation, pathNaming, options)
  const { faults } = options
  const { method, path } = operation
  const target: FaultTarget = {
    family: family.id,
    method,
    path,
    legacy: family.legacy,
    windowOf: family.windowOf && ((caller) => family.windowOf!(operation, caller)),
  }
  return serveRequest(options, operation, async (exchange) => {
    let state: State | undefined
    try {
      state = phases.begin(exchange)
      if (faults?.areSet) {
        const failed = await faults.meet(exchange, target)
        if (failed instanceof Problem) throw failed
        if (failed) return failed
      }
      refuseWritesWhenFull(options.runtime, operation)
      await phases.admit(exchange, state)
      const input = await phases.read(exchange, state)
      const response = phases.write(await operation.handle(input as never), exchange, state)
      response.text = exchange.facts.moveLinks(response.text)
      return response
    } catch (error) {
      const found =
        error instanceof Problem
          ? error
          : (family.problemFor?.(error) ?? unexpected(error, options.runtime, operation.id))
      const problem = exchange.facts.isPlatformHost ? (family.asRecorded?.(found) ?? found) : found
      return family.refuse(problem, exchange.naming, state, exchange.facts.baseUrl)
    }
  })
}
