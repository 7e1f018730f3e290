import { BlockList, isIP } from 'node:net'

/** Link-local and metadata addresses, and those that name no single receiver: refused always. */
const NEVER: readonly string[] = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  // Where clouds that are not content with 169.254.169.254 tell a machine its secrets.
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  'fd00:42::42/128',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  '::/128',
  'fe80::/10',
  'ff00::/8',
]

/** Loopback and private ranges: refused where a daemon beyond loopback was not told that they may be reached. */
const PRIVATE: readonly string[] = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '198.18.0.0/15',
  '::1/128',
  'fc00::/7',
]

/** A text that was given for a range of addresses and is none. */
export class RangeInvalid extends Error {}

/** Which addresses webhooks may go to. */
export type AddressRules = {
  /** Whether the daemon can be called from beyond this machine. */
  readonly isExposed: boolean
  /** CIDR ranges that may be reached all the same. */
  readonly allowed: readonly string[]
}

/**
 * Decides where webhooks may go, by addresses: what a name resolves to is checked, and then used.
 * Source: decisions.md 10, "URLs".
 */
export class Addresses {
  readonly #allowed: BlockList
  readonly #isExposed: boolean
  /** Made for the first address: most daemons never send a webhook. */
  #ranges: { readonly never: BlockList; readonly private: BlockList } | undefined

  /** @throws RangeInvalid for a text that is no CIDR range */
  constructor({ isExposed, allowed }: AddressRules) {
    this.#isExposed = isExposed
    this.#allowed = rangesOf(allowed)
  }

  /** Why an address is refused, in a sentence; undefined when it is not. */
  refusal(address: string): string | undefined {
    const plain = unmapped(address)
    this.#ranges ??= { never: rangesOf(NEVER), private: rangesOf(PRIVATE) }
    if (holds(this.#ranges.never, plain))
      return `${address} is a link-local, metadata or other address that webhooks never go to`
    if (!this.#isExposed || !holds(this.#ranges.private, plain) || holds(this.#allowed, plain))
      return undefined
    return `${address} is a loopback or private address, which a daemon beyond this machine only reaches with --webhook-allow`
  }

  /** Why nothing can be posted to a url, in a sentence; undefined when it can, or only its resolution will tell. */
  refusesUrl(text: string): string | undefined {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
      return `'${text}' is no address of a receiver: give one as in http://localhost:3000/webhooks`
    }
    if (url.username !== '' || url.password !== '') return 'A url with a user or a password is not accepted'
    // The parser has brought decimal, octal and hexadecimal spellings into the usual one.
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
    return isIP(host) ? this.refusal(host) : undefined
  }
}

function rangesOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', length = '', ...more] = range.split('/')
    const family = isIP(network)
    const isLength = /^\d{1,3}$/.test(length) && Number(length) <= (family === 4 ? 32 : 128)
    if (!family || !isLength || more.length > 0) {
      throw new RangeInvalid(`'${range}' is no range of addresses: give one as in 10.0.0.0/8 or fd00::/8`)
    }
    list.addSubnet(network, Number(length), family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

const holds = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** IPv6 addresses that stand for an IPv4 one, by their first groups, and where in them that is. */
const EMBEDDED: readonly (readonly [groups: readonly number[], at: number])[] = [
  [[0, 0, 0, 0, 0, 0xffff], 6], // mapped
  [[0, 0, 0, 0, 0xffff, 0], 6], // translated (SIIT)
  [[0x64, 0xff9b, 0, 0, 0, 0], 6], // NAT64
  [[0x64, 0xff9b, 1], 6], // NAT64 of one's own network
  [[0x2002], 1], // 6to4
]

/** The IPv4 address that an IPv6 one stands for, else the address itself. */
function unmapped(address: string): string {
  const bare = address.replace(/%.*$/, '')
  if (isIP(bare) !== 6) return bare
  const groups = groupsOf(bare)
  const [, at] = EMBEDDED.find(([first]) => first.every((group, index) => groups[index] === group)) ?? []
  if (at === undefined) return bare
  return [groups[at] ?? 0, groups[at + 1] ?? 0].flatMap((group) => [group >> 8, group & 255]).join('.')
}

/** The eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // The parser writes a dotted end as groups, and every group in hexadecimal.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const numbers = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const [before, after] = [numbers(head), numbers(tail)]
  return [...before, ...Array(8 - before.length - after.length).fill(0), ...after]
}
