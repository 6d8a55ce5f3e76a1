import { explain, Kernel, SessionStore, unwrap, use } from '@amodal/sdk'
import { sessionStoreContract } from '@amodal/sdk/testing'
import { sessionsMemory } from '../src/index.ts'

sessionStoreContract('sessions-memory', {
  make: async () => {
    const kernel = unwrap(await Kernel.create([use(sessionsMemory)]), explain)
    const store = kernel.scope.get(SessionStore)
    return {
      store,
      peer: store,
      close: async () => {
        await kernel.close()
      },
    }
  },
})
