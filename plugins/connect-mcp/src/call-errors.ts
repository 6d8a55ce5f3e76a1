import { type Failure, failure } from '@amodal/sdk'

/** The server has ended a call with a question that this client does not answer. */
export class UnansweredError extends Error {}

/** The server asks a question that may not be shown. */
export class UnshowableError extends Error {
  readonly failure: Failure

  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

/** What a call comes to under a lease that has ended. */
export const LAPSED = 'The call was not made: this process may not act for the session any more.'

/** A call that was not sent, since the lease that it is made under has ended. */
export class LapsedError extends Error {
  constructor() {
    super(LAPSED, { cause: failure('LEASE_LOST', LAPSED, { details: { sent: false } }) })
  }
}
