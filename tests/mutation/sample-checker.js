import { createHash } from 'node:crypto'
import { CheckStatus } from '@stryker-mutator/api/check'
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'

/** Percent of the mutants that are tested; which ones follows from the seed and the mutant itself. */
const percent = Number(process.env.MUTATION_SAMPLE ?? 100)
const seed = process.env.MUTATION_SEED ?? '1'

/** A number from 0 to 99 that is always the same for the same mutant. */
function numberOf({ fileName, location, mutatorName, replacement }) {
  const file = fileName.slice(fileName.lastIndexOf('/src/'))
  const text = JSON.stringify([seed, file, location, mutatorName, replacement])
  return createHash('sha1').update(text).digest().readUInt32BE(0) % 100
}

/** Lets a sample of the mutants through; Stryker reports the others as compile errors, which do not count. */
const sample = {
  init: async () => {},
  check: async (mutants) =>
    Object.fromEntries(
      mutants.map((mutant) => [
        mutant.id,
        numberOf(mutant) < percent
          ? { status: CheckStatus.Passed }
          : { status: CheckStatus.CompileError, reason: 'not in the sample' },
      ]),
    ),
  group: async (mutants) => [mutants.map((mutant) => mutant.id)],
}

export const strykerPlugins = [declareValuePlugin(PluginKind.Checker, 'sample', sample)]
