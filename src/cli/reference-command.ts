import { Command, type Option } from 'commander'
import { asBlock, asCode, asMarkdown, linkTo } from '../text/markdown.ts'
import { commonOptions } from './command.ts'
import { aboutOption } from './overview.ts'
import { daemonOptions, VARIABLES } from './serve.ts'

/** A command in the reference. */
export type DocumentedCommand = {
  readonly command: Command
  /** The words that lead to it, the program's name first. */
  readonly path: readonly string[]
  /** Its subcommands. */
  readonly children: readonly Command[]
  /** The help text below its options. */
  readonly notes: string
}

export const headingOf = (path: readonly string[]): string => path.join(' ')

/** Writes the section of one command, without its subcommands' sections. */
export function commandSection({ command, path, children, notes }: DocumentedCommand): string {
  const words = headingOf(path)
  const verbs = children.map((child) => linkTo(`${words} ${child.name()}`, asCode(child.name())))
  return [
    `${'#'.repeat(path.length + 1)} ${words}`,
    asMarkdown(command.description()),
    ...(verbs.length > 0 ? [`Subcommands: ${verbs.join(', ')}.`] : [asBlock(`${words} ${command.usage()}`)]),
    ...(verbs.length > 0 ? [] : [parameters(command, { takesVariables: notes.includes(VARIABLES) })]),
    ...notesAsMarkdown(notes),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Lists arguments and options, one per line. */
function parameters(command: Command, { takesVariables }: { takesVariables: boolean }): string {
  const lines = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name()
    const choices = argument.argChoices ? `: ${argument.argChoices.map(asCode).join(', ')}` : ''
    const about = argument.description === '' ? '' : `: ${asMarkdown(argument.description)}${choices}.`
    return `- ${asCode(argument.required ? `<${name}>` : `[${name}]`)}${about}`
  })
  return [...lines, ...optionLines(command, { takesVariables })].join('\n')
}

/** Options of many commands are described once: the heading of that section, and the options. */
const SHARED: readonly (readonly [heading: string, options: Command])[] = [
  ['Common options', commonOptions(new Command())],
  ['paytwin serve', daemonOptions(new Command())],
]

/** Lists a command's options, one per line. Options that are described elsewhere are listed by name, with a link. */
function optionLines(command: Command, { takesVariables = false } = {}): string[] {
  const options = command.createHelp().visibleOptions(command).filter(isOwn)
  const shared = SHARED.filter(([heading]) => heading !== `paytwin ${command.name()}`).map(
    ([heading, { options: group }]) => ({
      heading,
      same: options.filter((option) => group.some((other) => isSame(option, other))),
      missing: group.filter((option) => !options.some(({ long }) => long === option.long)),
    }),
  )
  const own = options.filter((option) => !shared.some(({ same }) => same.includes(option)))
  return [
    ...own.map((option) => optionLine(option, { takesVariables })),
    ...shared.flatMap(({ heading, same, missing }) =>
      same.length === 0 ? [] : [`- ${sharedText(heading, same, missing)}`],
    ),
  ]
}

/** Formats an option with its description and its environment variable, if it has one. */
export function optionLine(option: Option, { takesVariables = false } = {}): string {
  const variable = takesVariables ? ` Variable: ${asCode(variableOf(option))}.` : ''
  return `- ${asCode(option.flags)}: ${asMarkdown(aboutOption(option))}.${variable}`
}

/** See docs/contract/operator.md#options. */
const variableOf = ({ long }: Option): string =>
  `PAYTWIN_${(long ?? '').slice(2).replaceAll('-', '_').toUpperCase()}`

const sharedText = (heading: string, same: readonly Option[], missing: readonly Option[]): string =>
  `${names(same)}: see ${linkTo(heading, heading)}${missing.length > 0 ? `, except ${names(missing, ' and ')}` : ''}.`

const names = (options: readonly Option[], separator = ', '): string =>
  options.map(({ long }) => asCode(long ?? '')).join(separator)

const isSame = (left: Option, right: Option): boolean =>
  left.flags === right.flags && aboutOption(left) === aboutOption(right)

/** Every command has --help, so the reference mentions it once. */
const isOwn = ({ long }: Option): boolean => long !== '--help'

/** Converts the notes of a help text to Markdown. Indented lines become a code block, other lines paragraphs. */
function notesAsMarkdown(notes: string): string[] {
  const parts: { isBlock: boolean; lines: string[] }[] = []
  for (const line of notes.split('\n')) {
    const last = parts.at(-1)
    const isBlock = line.startsWith('  ')
    if (line === '') parts.push({ isBlock: false, lines: [] })
    else if (last?.isBlock === isBlock) last.lines.push(line)
    else parts.push({ isBlock, lines: [line] })
  }
  return parts
    .filter((part) => part.lines.length > 0)
    .map((part) => (part.isBlock ? asBlock(unindented(part.lines)) : asMarkdown(part.lines.join(' '))))
}

/** Removes the two leading spaces of each line, and the prompt of examples. */
const unindented = (lines: readonly string[]): string =>
  lines.map((line) => line.slice(2).replace(/^\$ /, '')).join('\n')
