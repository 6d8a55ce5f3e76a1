import { served } from './server.ts'
const v = process.argv[2]!
const server = await served()
const parked: any = v.includes('p') ? await (await server.post('/chat/sync', { message: 'approve' })).json() : {}
const body = { message: 'and this', session_id: parked.session_id }
const response = await server.post('/chat/stream', body)
if (v.includes('t')) await response.text()
if (v.includes('c')) await response.body!.cancel()
if (v.includes('r')) { const r = response.body!.getReader(); console.log(Buffer.from((await r.read()).value!).length); if (v.includes('R')) console.log((await r.read()).done); await r.cancel() }
await new Promise((r) => setTimeout(r, 100))
const t = performance.now(); await server.kernel.close(); console.log(v, performance.now() - t)
process.exit()
