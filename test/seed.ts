import fc from 'fast-check'

/**
 * The seed of all random tests that do not have their own. It is always the same, so that a failure comes from a change of the
 * code; the nightly workflow takes another one each time.
 */
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) })
