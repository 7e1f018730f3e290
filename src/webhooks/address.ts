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
  // Site-local (RFC 3879): deprecated, and still routed within some networks.
  'fec0::/10',
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
 * See docs/contract/events-and-webhooks.md#addresses.
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

  /**
   * Why an address is refused, in a sentence; undefined when it is not. An IPv6 address that stands for an IPv4 one is judged by
   * both.
   */
  refusal(address: string): string | undefined {
    const plain = address.replace(/%.*$/, '')
    const meant = isIP(plain) === 6 ? [plain, ...embeddedIn(plain)] : [plain]
    this.#ranges ??= { never: rangesOf(NEVER), private: rangesOf(PRIVATE) }
    const { never, private: internal } = this.#ranges
    if (meant.some((each) => holds(never, each)))
      return `${address} is a link-local, metadata or other address that webhooks never go to`
    const isAllowed = (each: string) => !holds(internal, each) || holds(this.#allowed, each)
    if (!this.#isExposed || holds(this.#allowed, plain) || meant.every(isAllowed)) return undefined
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

/** A form of IPv6 addresses that hold an IPv4 one. */
type Embedding = {
  /** Matches the 32 hexadecimal digits of such an address. */
  readonly form: RegExp
  /** Which of the 16 bytes are the IPv4 address. */
  readonly at: readonly [number, number, number, number]
  readonly isInverted?: true
}

const LAST = [12, 13, 14, 15] as const
const EMBEDDINGS: readonly Embedding[] = [
  { form: /^0{24}(?!0{7}[01])/, at: LAST }, // IPv4-compatible, ::/96, but for :: and ::1
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

/** The IPv4 addresses that an IPv6 address may stand for. */
function embeddedIn(address: string): string[] {
  const digits = groupsOf(address)
    .map((group) => group.toString(16).padStart(4, '0'))
    .join('')
  const bytes = Buffer.from(digits, 'hex')
  return EMBEDDINGS.filter(({ form }) => form.test(digits)).map(({ at, isInverted }) =>
    at.map((place) => (bytes[place] ?? 0) ^ (isInverted ? 255 : 0)).join('.'),
  )
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
