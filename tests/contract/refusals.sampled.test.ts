import { afterAll, beforeAll } from 'vitest'
import { neutral } from '../../src/api-kit/naming/naming.ts'
import { families } from '../../src/app.ts'
import { legacyNaming } from '../../src/legacy-words.ts'
import { sampleOf } from '../support/sampling.ts'
import { casesOf, testRefusals } from './check-operations.ts'
import { createScene, type Scene } from './scene.ts'

const { operations } = families[0]

let scene: Scene
beforeAll(async () => {
  scene = await createScene()
})
afterAll(() => scene.close())

testRefusals(casesOf(sampleOf('refusals', operations, 50, { inRest: 60 }), neutral), () => scene)
testRefusals(casesOf(sampleOf('legacy refusals', operations, 15, { inRest: 60 }), legacyNaming), () => scene)
