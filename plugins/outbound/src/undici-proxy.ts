// The whole of it, with the first request that goes through a proxy: its parts need each other.
export { ProxyAgent } from 'undici'
