import type { Mistake } from './types.ts'

/** The daemon understood the request and refused it. */
export class Refused extends Error {
  readonly status: number
  /** Machine-readable; null where the contract gives none (an unknown token). */
  readonly code: string | null
  /** Of fixtures: everything that is wrong with them. */
  readonly mistakes: readonly Mistake[]

  constructor({
    status,
    code,
    message,
    mistakes = [],
  }: {
    status: number
    code: string | null
    message: string
    mistakes?: readonly Mistake[] | undefined
  }) {
    super(message)
    this.name = 'Refused'
    this.status = status
    this.code = code
    this.mistakes = mistakes
  }
}

/** Nobody answers at the daemon's address, the connection broke, or what answers is no paytwin. */
export class Unreachable extends Error {
  readonly url: string
  /** Whether the request may have been carried out all the same. */
  readonly isConnected: boolean
  /** Whether somebody else answers there, or one with another token: that does not pass by itself. */
  readonly isUnproven: boolean

  constructor({
    url,
    message,
    isConnected,
    isUnproven = false,
  }: {
    url: string
    message: string
    isConnected: boolean
    isUnproven?: boolean
  }) {
    super(message)
    this.name = 'Unreachable'
    this.url = url
    this.isConnected = isConnected
    this.isUnproven = isUnproven
  }
}
