import { readFileSync } from 'node:fs'
import path from 'node:path'
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'

/** Longest text of a change on one line. */
const LENGTH = 100

const SHOWN = { Survived: 'survived', NoCoverage: 'uncovered', Timeout: 'timeout' }

const onOneLine = (text) => {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > LENGTH ? `${line.slice(0, LENGTH)}...` : line
}

/** What stood where the mutant is; its lines and columns count from 1. */
function originalOf({ fileName, location: { start, end } }) {
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line)
  lines.push(lines.pop().slice(0, end.column - 1))
  return [lines[0].slice(start.column - 1), ...lines.slice(1)].join('\n')
}

/** Prints each change that no test noticed as soon as it is known, so its test can be written while the run goes on. */
const survivors = {
  onMutantTested: (mutant) => {
    const state = SHOWN[mutant.status]
    if (!state) return
    const { start } = mutant.location
    const line = `${path.relative(process.cwd(), mutant.fileName)}:${start.line}:${start.column}`
    console.log(`${state} ${line} ${onOneLine(originalOf(mutant))} -> ${onOneLine(mutant.replacement)}`)
  },
}

export const strykerPlugins = [declareValuePlugin(PluginKind.Reporter, 'survivors', survivors)]
