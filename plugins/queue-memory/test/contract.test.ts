import { explain, JobQueue, Kernel, unwrap, use } from '@amodal/sdk'
import { movableClock, pluginContract, queueContract } from '@amodal/sdk/testing'
import { queueMemory } from '../src/index.ts'

pluginContract(queueMemory)

queueContract('queue-memory', {
  make: async () => {
    const clock = movableClock()
    const kernel = unwrap(await Kernel.create([use(queueMemory)], { clock }), explain)
    const queue = kernel.scope.get(JobQueue)
    return {
      queue,
      peer: queue,
      clock,
      close: async () => {
        await kernel.close()
      },
    }
  },
})
