import { BlockList, isIP } from 'node:net'

/** Link-local, metadata and multi-receiver ranges, which are always refused. */
const NEVER: readonly string[] = [
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  // The metadata services of clouds that use other addresses than 169.254.169.254.
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

/** Loopback and private ranges. A daemon that listens beyond loopback refuses them unless they are allowed. */
const PRIVATE: readonly string[] = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '198.18.0.0/15',
  '::1/128',
  'fc00::/7',
  // Site-local (RFC 3879): deprecated, but still routed within some networks.
  'fec0::/10',
]

/** A range of addresses that is not valid. */
export class RangeInvalid extends Error {}

/** The rules on the addresses of webhooks. */
export type AddressRules = {
  /** Whether the daemon listens beyond this machine. */
  readonly isExposed: boolean
  /** CIDR ranges that are allowed although they are private. */
  readonly allowed: readonly string[]
}

/**
 * Decides which addresses webhooks may be sent to. The addresses of a host name are checked after its resolution and
 * then used.
 * See docs/contract/events-and-webhooks.md#addresses.
 */
export class Addresses {
  readonly #allowed: BlockList
  readonly #isExposed: boolean
  /** Created at the first check: most daemons never send a webhook. */
  #ranges: { readonly never: BlockList; readonly private: BlockList } | undefined

  /** @throws RangeInvalid for a text that is not a CIDR range */
  constructor({ isExposed, allowed }: AddressRules) {
    this.#isExposed = isExposed
    this.#allowed = rangesOf(allowed)
  }

  /**
   * Returns the error message for a refused address; undefined when it is allowed. For an IPv6 address with an embedded
   * IPv4 address, both are checked.
   */
  refusal(address: string): string | undefined {
    const plain = address.replace(/%.*$/, '')
    const addresses = isIP(plain) === 6 ? [plain, ...embeddedIn(plain)] : [plain]
    this.#ranges ??= { never: rangesOf(NEVER), private: rangesOf(PRIVATE) }
    const { never, private: internal } = this.#ranges
    if (addresses.some((each) => holds(never, each)))
      return `${address} is a link-local, metadata or multicast address, to which webhooks are never sent`
    const isAllowed = (each: string) => !holds(internal, each) || holds(this.#allowed, each)
    if (!this.#isExposed || holds(this.#allowed, plain) || addresses.every(isAllowed)) return undefined
    return `${address} is a loopback or private address; a daemon that listens beyond this machine can reach it only with --webhook-allow`
  }

  /**
   * Returns the error message for an invalid or refused URL; undefined when it is allowed, or has a name to resolve.
   */
  refusesUrl(text: string): string | undefined {
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
      return `'${text}' is not a valid webhook URL; give one as in http://localhost:3000/webhooks`
    }
    if (url.username !== '' || url.password !== '') return 'A URL with a user or a password is not accepted'
    // The parser has converted decimal, octal and hexadecimal spellings to the usual one.
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
      throw new RangeInvalid(`'${range}' is not a range of addresses; give one as in 10.0.0.0/8 or fd00::/8`)
    }
    list.addSubnet(network, Number(length), family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

const holds = (list: BlockList, address: string): boolean =>
  list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')

/** A format of IPv6 addresses with an embedded IPv4 address. */
type Embedding = {
  /** Matches the 32 hexadecimal digits of such an address. */
  readonly form: RegExp
  /** The positions of the IPv4 address among the 16 bytes. */
  readonly at: readonly [number, number, number, number]
  readonly isInverted?: true
}

const LAST = [12, 13, 14, 15] as const
const EMBEDDINGS: readonly Embedding[] = [
  { form: /^0{24}(?!0{7}[01])/, at: LAST }, // IPv4-compatible, ::/96, except :: and ::1
  { form: /^0{20}ffff/, at: LAST }, // mapped, ::ffff:0:0/96
  { form: /^0{16}ffff0000/, at: LAST }, // translated (SIIT), ::ffff:0:0:0/96
  { form: /^0064ff9b0{16}/, at: LAST }, // NAT64, 64:ff9b::/96
  { form: /^0064ff9b0001/, at: LAST }, // local NAT64, 64:ff9b:1::/48, with a prefix of 96 bits
  { form: /^0064ff9b0001.{4}00.{8}0{6}$/, at: [9, 10, 11, 12] }, // the same with a prefix of 64 bits (RFC 6052 2.2)
  { form: /^2002/, at: [2, 3, 4, 5] }, // 6to4, 2002::/16
  { form: /^20010000/, at: [4, 5, 6, 7] }, // the server of a Teredo address, 2001::/32
  { form: /^20010000/, at: LAST, isInverted: true }, // its client (RFC 4380 4)
  { form: /^.{16}0[0-3]005efe/, at: LAST }, // ISATAP, with any prefix (RFC 5214 6.1)
]

/** Returns the IPv4 addresses that may be embedded in an IPv6 address. */
function embeddedIn(address: string): string[] {
  const digits = groupsOf(address)
    .map((group) => group.toString(16).padStart(4, '0'))
    .join('')
  const bytes = Buffer.from(digits, 'hex')
  return EMBEDDINGS.filter(({ form }) => form.test(digits)).map(({ at, isInverted }) =>
    at.map((place) => (bytes[place] ?? 0) ^ (isInverted ? 255 : 0)).join('.'),
  )
}

/** Returns the eight groups of an IPv6 address. */
function groupsOf(address: string): number[] {
  // The parser converts a dotted end to groups, and writes every group in hexadecimal.
  const [head = '', tail = ''] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const numbers = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))
  const [before, after] = [numbers(head), numbers(tail)]
  return [...before, ...Array(8 - before.length - after.length).fill(0), ...after]
}
