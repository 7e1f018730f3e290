import { afterAll, afterEach, expect } from 'vitest'
import { takeSurprises } from './crashes.ts'

/**
 * Set up before each test file: fails a test when a paytwin process crashed meanwhile. Unhandled rejections within vitest's own
 * processes fail the run without this.
 */
const failOnCrash = () => expect(takeSurprises()).toEqual([])

// Hooks run in reverse order: these come after those of the test file, which end its processes.
afterEach(failOnCrash)
afterAll(failOnCrash)
