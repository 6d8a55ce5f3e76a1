import { Conversation as SdkConversation } from '@amodal/sdk/client'
import type { Server } from './server.ts'
import { tabStorage } from './tab-storage.ts'

export { ME, type Settlement } from '@amodal/sdk/client'

/** One session in this tab, which finds its unfinished messages after a reload. */
export class Conversation extends SdkConversation {
  readonly #server: Server

  /** @param isAdmin the server sends its messages to the admin agent */
  constructor(server: Server, session: string | undefined, isAdmin = false) {
    const outbox = isAdmin ? tabStorage.adminOutbox : tabStorage.outbox
    super(server, { session, reach: server.reach, outbox })
    this.#server = server
  }

  /** Gives the answer that needed a key, with that key. */
  async unlockWith(key: string): Promise<void> {
    this.#server.signIn({ key, scope: '' })
    await this.unlock()
  }
}
