import { neutral } from '../../api-kit/naming/naming.ts'
import type { Fallback } from '../../api-kit/serving/routes.ts'
import { adsLegacyNaming } from '../../legacy-words.ts'
import { type AdsProblem, refusal } from './errors.ts'
import type { AdsOperation } from './operation.ts'
import { asAdsProblem } from './read-params.ts'
import { ADS_VERSION, isAdsAddress, problemOutcome } from './serve.ts'

/** Failures outside the operations, in the shape of this interface. */
export function adsFallback(operations: readonly AdsOperation[]): Fallback {
  const known = operations.flatMap(({ path }) =>
    [path, adsLegacyNaming.rename(path)].map((item) => new RegExp(`^${item.replace(/\{[^}]+\}/g, '[^/]+')}$`)),
  )
  return {
    covers: isAdsAddress,
    notFound: (_method, path) =>
      answer(
        known.some((pattern) => pattern.test(path))
          ? refusal('METHOD_NOT_ALLOWED', 'The path does not take this method')
          : refusal('ROUTE_NOT_FOUND', 'There is nothing at this path'),
      ),
    failure: (problem) => answer(asAdsProblem(problem)!),
  }
}

function answer(problem: AdsProblem) {
  const outcome = problemOutcome(problem, neutral, {})
  outcome.headers['x-current-api-version'] = ADS_VERSION
  return outcome
}
