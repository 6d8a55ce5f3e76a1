import {
  UrlElicitationRequiredError,
  type InputRequests,
  type InputResponses,
} from '@modelcontextprotocol/client'
import { UnansweredError } from './call-errors.ts'

/** An older server has ended a call until a person has opened addresses: it is made again then. */
export class Addresses {
  readonly inputRequests: InputRequests
  readonly requestState: undefined

  constructor({ elicitations }: UrlElicitationRequiredError) {
    this.inputRequests = Object.fromEntries(
      elicitations
        // nothing has checked the data of an error
        .filter(({ message, url }) => typeof message === 'string' && typeof url === 'string')
        .map((params, at) => [
          String(at),
          { method: 'elicitation/create', params: { ...params, mode: 'url' } },
        ]),
    )
  }

  mustBeAccepted(responses: InputResponses): void {
    const isOpened = (one: InputResponses[string]): boolean =>
      'action' in one && one.action === 'accept'
    if (Object.keys(responses).length === 0 || !Object.values(responses).every(isOpened))
      throw new UnansweredError('it wants an address to be opened, and the person does not')
  }
}

/** @throws the cause, where it is another, or addresses are not shown (`urls`) */
export function addressesIn(cause: unknown, urls: boolean): Addresses {
  if (urls && cause instanceof UrlElicitationRequiredError) return new Addresses(cause)
  throw cause
}
