import { describe, expect, test } from 'vitest'
import { Addresses, RangeInvalid } from '../../src/webhooks/address.ts'
import { linesOf, table } from '../table.ts'

const local = new Addresses({ isExposed: false, allowed: [] })
const exposed = new Addresses({ isExposed: true, allowed: [] })
const allowing = new Addresses({ isExposed: true, allowed: ['10.1.0.0/16', '127.0.0.1/32', 'fd00:1::/32'] })

const verdict = (why: string | undefined): string => (why === undefined ? 'yes' : 'no')

describe('whether webhooks may go to an address', () => {
  test.each(
    table(
      ['address', 'local', 'exposed', 'allowing'],
      `
      93.184.215.14                     yes  yes  yes
      2606:2800:21f::1                  yes  yes  yes
      127.0.0.1                         yes  no   yes
      127.0.0.2                         yes  no   no
      127.255.255.255                   yes  no   no
      ::1                               yes  no   no
      10.0.0.1                          yes  no   no
      10.1.2.3                          yes  no   yes
      10.2.0.1                          yes  no   no
      172.15.255.255                    yes  yes  yes
      172.16.0.1                        yes  no   no
      172.31.255.255                    yes  no   no
      172.32.0.1                        yes  yes  yes
      192.168.1.1                       yes  no   no
      192.167.1.1                       yes  yes  yes
      100.64.0.1                        yes  no   no
      100.127.255.255                   yes  no   no
      100.128.0.1                       yes  yes  yes
      198.18.0.1                        yes  no   no
      fd00::1                           yes  no   no
      fd00:1::7                         yes  no   yes
      fc00::1                           yes  no   no
      fec0::1                           yes  no   no
      feff:ffff::1                      yes  no   no
      0.0.0.0                           no   no   no
      0.1.2.3                           no   no   no
      ::                                no   no   no
      169.254.169.254                   no   no   no
      169.254.0.1                       no   no   no
      169.253.255.255                   yes  yes  yes
      100.100.100.200                   no   no   no
      168.63.129.16                     no   no   no
      192.0.0.192                       no   no   no
      fe80::1                           no   no   no
      fe80::1%eth0                      no   no   no
      febf::1                           no   no   no
      fd00:ec2::254                     no   no   no
      fd20:ce::254                      no   no   no
      fd00:42::42                       no   no   no
      224.0.0.1                         no   no   no
      240.0.0.1                         no   no   no
      255.255.255.255                   no   no   no
      ff02::1                           no   no   no
      ::ffff:169.254.169.254            no   no   no
      ::ffff:a9fe:a9fe                  no   no   no
      0:0:0:0:0:ffff:a9fe:a9fe          no   no   no
      ::ffff:127.0.0.1                  yes  no   yes
      ::ffff:10.2.0.1                   yes  no   no
      ::ffff:93.184.215.14              yes  yes  yes
      ::ffff:0:169.254.169.254          no   no   no
      64:ff9b::169.254.169.254          no   no   no
      64:ff9b::10.2.0.1                 yes  no   no
      64:ff9b:1::169.254.1.1            no   no   no
      2002:a9fe:a9fe::1                 no   no   no
      2002:0a02:0001::                  yes  no   no
      2002:5db8:d70e::1                 yes  yes  yes
      ::169.254.169.254                 no   no   no
      ::a9fe:a9fe                       no   no   no
      ::100.100.100.200                 no   no   no
      ::127.0.0.1                       yes  no   yes
      ::10.2.0.1                        yes  no   no
      ::93.184.215.14                   yes  yes  yes
      ::0.0.0.2                         no   no   no
      ::ffff:0:10.2.0.1                 yes  no   no
      ::ffff:0:93.184.215.14            yes  yes  yes
      64:ff9b::93.184.215.14            yes  yes  yes
      64:ff9b:1::10.2.0.1               yes  no   no
      64:ff9b:1:fffe::a9fe:a9fe         no   no   no
      64:ff9b:1:a9fe:a9:fe00::          no   no   no
      64:ff9b:1:7:a9:fea9:fe00:0        no   no   no
      64:ff9b:1:7:a:200:100:0           yes  no   no
      64:ff9b:1::93.184.215.14          yes  yes  yes
      2001::5601:5601                   no   no   no
      2001:0:a9fe:a9fe:0:0:a247:28f1    no   no   no
      2001:0:5db8:d70e::f5fd:fffe       yes  no   no
      2001:0:a02:1::a247:28f1           yes  no   no
      2001:0:5db8:d70e::a247:28f1       yes  yes  yes
      2001:db8::a9fe:a9fe               yes  yes  yes
      2606:2800::5efe:169.254.169.254   no   no   no
      2606:2800::200:5efe:a9fe:a9fe     no   no   no
      2606:2800::5efe:10.2.0.1          yes  no   no
      2606:2800::5efe:93.184.215.14     yes  yes  yes
      fd00:1::5efe:10.2.0.1             yes  no   yes
      `,
    ),
  )('$address: local $local, exposed $exposed, with --webhook-allow $allowing', (row) => {
    expect(verdict(local.refusal(row.address))).toBe(row.local)
    expect(verdict(exposed.refusal(row.address))).toBe(row.exposed)
    expect(verdict(allowing.refusal(row.address))).toBe(row.allowing)
  })

  test('ranges that are always refused cannot be allowed', () => {
    const all = new Addresses({ isExposed: true, allowed: ['0.0.0.0/0', '::/0'] })
    expect(all.refusal('10.0.0.1')).toBeUndefined()
    expect(all.refusal('::1')).toBeUndefined()
    expect(all.refusal('169.254.169.254')).toMatch(/never sent/)
    expect(all.refusal('fe80::1')).toMatch(/never sent/)
  })

  test('a range that is allowed may be of IPv6 addresses with embedded IPv4 addresses', () => {
    const nat64 = new Addresses({ isExposed: true, allowed: ['64:ff9b::/96'] })
    expect(nat64.refusal('64:ff9b::10.0.0.1')).toBeUndefined()
    expect(nat64.refusal('64:ff9b::169.254.169.254')).toMatch(/never sent/)
    expect(nat64.refusal('10.0.0.1')).toMatch(/--webhook-allow$/)
  })

  test('the message names the option that allows it', () => {
    expect(exposed.refusal('10.0.0.1')).toMatch(/^10\.0\.0\.1 is .*--webhook-allow$/)
  })
})

describe('whether events can be posted to a url', () => {
  test.each(
    table(
      ['url', 'local', 'exposed'],
      `
      http://example.com/hooks             yes  yes
      https://example.com/hooks            yes  yes
      HTTPS://EXAMPLE.COM:8443/a?b=c       yes  yes
      http://localhost:3000/               yes  yes
      http://127.0.0.1:3000/               yes  no
      http://[::1]:3000/                   yes  no
      http://2130706433/                   yes  no
      http://0x7f000001/                   yes  no
      http://0x7f.1/                       yes  no
      http://0177.0.0.1/                   yes  no
      http://127.1/                        yes  no
      http://127.0.0.1./                   yes  no
      http://①②⑦.0.0.1/                 yes  no
      http://169.254.169.254/latest        no   no
      http://2852039166/                   no   no
      http://0xa9fea9fe/                   no   no
      http://0xa9.0xfe.0xa9.0xfe/          no   no
      http://0251.0376.0251.0376/          no   no
      http://169.254.43518/                no   no
      http://169.16689662/                 no   no
      http://169.254.169.254./             no   no
      http://[::ffff:169.254.169.254]/     no   no
      http://[::ffff:a9fe:a9fe]/           no   no
      http://[0:0:0:0:0:ffff:a9fe:a9fe]/   no   no
      http://[64:ff9b::a9fe:a9fe]/         no   no
      http://[::169.254.169.254]/          no   no
      http://[0::a9fe:a9fe]/               no   no
      http://[::127.0.0.1]:3000/           yes  no
      http://[2606::5efe:a9fe:a9fe]/       no   no
      http://[2001:0:1::5601:5601]/        no   no
      http://[fd00:ec2::254]/              no   no
      http://[fd00:0ec2:0::0254]/          no   no
      http://[fe80::1]/                    no   no
      http://0.0.0.0:3000/                 no   no
      http://0/                            no   no
      http://[::]/                         no   no
      http://user@example.com/             no   no
      http://user:password@example.com/    no   no
      http://:password@example.com/        no   no
      ftp://example.com/                   no   no
      ws://example.com/                    no   no
      file:///etc/passwd                   no   no
      javascript:alert(1)                  no   no
      data:text/plain,x                    no   no
      example.com/hooks                    no   no
      /hooks                               no   no
      http://                              no   no
      http://256.256.256.256/              no   no
      http://[::1/                         no   no
      http://example.com:99999/            no   no
      http://a b/                          no   no
      x                                    no   no
      `,
    ),
  )('$url: local $local, exposed $exposed', ({ url, ...expected }) => {
    expect(verdict(local.urlRefusal(url))).toBe(expected.local)
    expect(verdict(exposed.urlRefusal(url))).toBe(expected.exposed)
  })

  test('the message explains the refusal', () => {
    expect(local.urlRefusal('ftp://example.com')).toMatch(/^'ftp:\/\/example\.com' is not a valid/)
    expect(local.urlRefusal('http://a:b@example.com')).toMatch(/user or a password/)
  })
})

describe('a range of addresses', () => {
  test.each(
    linesOf(`
      10.0.0.0
      10.0.0.0/
      10.0.0.0/33
      10.0.0.0/-1
      10.0.0.0/8/8
      10.0.0/8
      fd00::/129
      fd00::
      localhost/8
      /8
      x
    `),
  )('%s is invalid', (range) => {
    expect(() => new Addresses({ isExposed: true, allowed: ['10.0.0.0/8', range] })).toThrow(RangeInvalid)
    expect(() => new Addresses({ isExposed: true, allowed: [range] })).toThrow(`'${range}'`)
  })

  test('may contain one address, or all', () => {
    const one = new Addresses({ isExposed: true, allowed: ['10.0.0.1/32'] })
    expect([one.refusal('10.0.0.1'), one.refusal('10.0.0.2')]).toEqual([undefined, expect.any(String)])
    const all = new Addresses({ isExposed: true, allowed: ['0.0.0.0/0'] })
    expect([all.refusal('10.0.0.1'), all.refusal('::1')]).toEqual([undefined, expect.any(String)])
  })
})
