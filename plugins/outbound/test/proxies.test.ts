import { describe, expect, test } from 'vitest'
import { readProxy, wayTo } from '../src/proxies.ts'

const PROXY = 'http://proxy.corp:3128'

function way(url: string, environment: Readonly<Record<string, string>>): string {
  const { proxy, reason } = wayTo(new URL(url), (name) => environment[name])
  return `${proxy?.host ?? 'direct'}: ${reason}`
}

describe('the way to a host', () => {
  test.each([
    ['https://a.example', {}, 'direct: no proxy is set'],
    ['https://a.example', { HTTPS_PROXY: PROXY }, 'proxy.corp:3128: HTTPS_PROXY'],
    ['http://a.example', { HTTPS_PROXY: PROXY }, 'direct: no proxy is set'],
    ['http://a.example', { http_proxy: PROXY }, 'proxy.corp:3128: HTTP_PROXY'],
    ['https://a.example', { ALL_PROXY: PROXY }, 'proxy.corp:3128: ALL_PROXY'],
    [
      'https://a.example',
      { HTTPS_PROXY: 'http://other:1', https_proxy: PROXY },
      'proxy.corp:3128: HTTPS_PROXY',
    ],
    ['https://a.example', { HTTPS_PROXY: 'proxy.corp:3128' }, 'proxy.corp:3128: HTTPS_PROXY'],
    [
      'https://a.example',
      { HTTPS_PROXY: 'ftp://proxy.corp' },
      'direct: HTTPS_PROXY is no URL of a proxy',
    ],
    ['https://localhost:8080', { HTTPS_PROXY: PROXY }, 'direct: this machine'],
    ['http://127.0.0.1:8080', { HTTP_PROXY: PROXY }, 'direct: this machine'],
    ['http://[::1]:8080', { HTTP_PROXY: PROXY }, 'direct: this machine'],
  ])('%s with %j: %s', (url, environment, expected) => {
    expect(way(url, environment)).toBe(expected)
  })

  test.each([
    ['https://a.example', '*', true],
    ['https://a.example', 'a.example', true],
    ['https://b.a.example', 'a.example', true],
    ['https://ba.example', 'a.example', false],
    ['https://b.a.example', '.a.example', true],
    ['https://a.example', '.a.example', true],
    ['https://b.a.example', '*.a.example', true],
    ['https://a.example', 'b.example, A.EXAMPLE', true],
    ['https://a.example', 'b.example a.example', true],
    ['https://a.example', 'a.example:443', true],
    ['https://a.example:8443', 'a.example:443', false],
    ['https://10.1.2.3', '10.0.0.0/8', true],
    ['https://11.1.2.3', '10.0.0.0/8', false],
    ['https://10.1.2.3', '10.1.2.3', true],
    ['https://[fd00::1]', 'fd00::/8', true],
    ['https://[2001:db8::1]:8443', '[2001:db8::1]:8443', true],
    ['https://a.example', '10.0.0.0/99, x/8,/', false],
  ])('%s with NO_PROXY %s goes directly: %s', (url, exceptions, isDirect) => {
    const found = way(url, { HTTPS_PROXY: PROXY, NO_PROXY: exceptions })
    expect(found).toBe(isDirect ? 'direct: NO_PROXY' : 'proxy.corp:3128: HTTPS_PROXY')
  })

  test('a proxy is a URL of a kind that is known', () => {
    expect(readProxy('socks5://proxy.corp:1080')?.protocol).toBe('socks5:')
    for (const text of ['', 'http://', 'file:///etc/passwd', '::'])
      expect(readProxy(text)).toBeUndefined()
  })
})
