import { Command, type Option } from 'commander'
import { asBlock, asCode, asMarkdown, linkTo } from '../text/markdown.ts'
import { commonOptions } from './command.ts'
import { aboutOption } from './overview.ts'
import { daemonOptions, VARIABLES } from './serve.ts'

/** A command as it is told of. */
export type Told = {
  readonly command: Command
  /** The words that lead to it, the program's name first. */
  readonly path: readonly string[]
  /** The commands below it. */
  readonly children: readonly Command[]
  /** What its help says below its options. */
  readonly notes: string
}

export const headingOf = (path: readonly string[]): string => path.join(' ')

/** All about one command but what is below it. */
export function commandSection({ command, path, children, notes }: Told): string {
  const words = headingOf(path)
  const verbs = children.map((child) => linkTo(`${words} ${child.name()}`, asCode(child.name())))
  return [
    `${'#'.repeat(path.length + 1)} ${words}`,
    asMarkdown(command.description()),
    ...(verbs.length > 0 ? [`Its commands: ${verbs.join(', ')}.`] : [asBlock(`${words} ${command.usage()}`)]),
    ...(verbs.length > 0 ? [] : [parameters(command, { takesVariables: notes.includes(VARIABLES) })]),
    ...notesAsMarkdown(notes),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Arguments and options, one a line. */
function parameters(command: Command, { takesVariables }: { takesVariables: boolean }): string {
  const told = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name()
    const choices = argument.argChoices ? `: ${argument.argChoices.map(asCode).join(', ')}` : ''
    const about = argument.description === '' ? '' : `: ${asMarkdown(argument.description)}${choices}.`
    return `- ${asCode(argument.required ? `<${name}>` : `[${name}]`)}${about}`
  })
  return [...told, ...optionLines(command, { takesVariables })].join('\n')
}

/** Options that many commands have alike are explained once: the heading below which, and those options. */
const SHARED: readonly (readonly [heading: string, options: Command])[] = [
  ['Options that commands share', commonOptions(new Command())],
  ['paytwin serve', daemonOptions(new Command())],
]

/** A command's options, one a line; those that are explained elsewhere by their names alone. */
function optionLines(command: Command, { takesVariables = false } = {}): string[] {
  const options = command.createHelp().visibleOptions(command).filter(isOwn)
  const shared = SHARED.filter(([heading]) => heading !== `paytwin ${command.name()}`).map(
    ([heading, { options: group }]) => ({
      heading,
      same: options.filter((option) => group.some((other) => isSame(option, other))),
      missing: group.filter((option) => !options.some(({ long }) => long === option.long)),
    }),
  )
  const told = options.filter((option) => !shared.some(({ same }) => same.includes(option)))
  return [
    ...told.map((option) => optionLine(option, { takesVariables })),
    ...shared.flatMap(({ heading, same, missing }) =>
      same.length === 0 ? [] : [`- ${sharedText(heading, same, missing)}`],
    ),
  ]
}

/** An option, what it is for, and the variable that stands for it where there is one. */
export function optionLine(option: Option, { takesVariables = false } = {}): string {
  const variable = takesVariables ? ` Variable: ${asCode(variableOf(option))}.` : ''
  return `- ${asCode(option.flags)}: ${asMarkdown(aboutOption(option))}.${variable}`
}

/** See docs/contract/operator.md#options. */
const variableOf = ({ long }: Option): string =>
  `PAYTWIN_${(long ?? '').slice(2).replaceAll('-', '_').toUpperCase()}`

const sharedText = (heading: string, same: readonly Option[], missing: readonly Option[]): string =>
  `${names(same)}: see ${linkTo(heading, heading)}${missing.length > 0 ? `, whose ${names(missing, ' and ')} it does not have` : ''}.`

const names = (options: readonly Option[], separator = ', '): string =>
  options.map(({ long }) => asCode(long ?? '')).join(separator)

const isSame = (left: Option, right: Option): boolean =>
  left.flags === right.flags && aboutOption(left) === aboutOption(right)

/** Every command has --help, which is said once. */
const isOwn = ({ long }: Option): boolean => long !== '--help'

/** What help says in words and in lines of its own: the lines stay as they are, indented ones together. */
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

/** Without the two blanks before each line, and without the prompt that examples have. */
const unindented = (lines: readonly string[]): string =>
  lines.map((line) => line.slice(2).replace(/^\$ /, '')).join('\n')
