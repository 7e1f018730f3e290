import { Command } from 'commander'
import { firstSentence } from '../text/display.ts'
import { asCode, linkTo } from '../text/markdown.ts'
import { commonOptions } from './command.ts'
import { createProgram } from './program.ts'
import { referenceBeginning } from './reference-beginning.ts'
import { commandSection, headingOf, optionLine } from './reference-command.ts'

/** The width of the help in columns: what a page shows of a code block without scrolling. */
const COLUMNS = 100

/** Writes docs/commands.md: the help of all commands in Markdown, in the order of the help. */
export async function commandReference(): Promise<string> {
  const captured = { text: '' }
  const stream = {
    columns: COLUMNS,
    write: (text: string) => {
      captured.text += text
    },
  }
  const program = await createProgram({ stdout: stream, stderr: stream, env: {} })
  /** Returns the help text below a command's options: the difference between the full help and the help without it. */
  const notesOf = (command: Command): string => {
    captured.text = ''
    // Commander's own command `help` has no parent and no such text.
    if (command.parent === null) return ''
    command.outputHelp()
    return captured.text.slice(command.helpInformation().length)
  }
  const groups = groupsOf(program)
  const common = commonOptions(new Command()).options.map((option) => optionLine(option))
  const own = program
    .createHelp()
    .visibleOptions(program)
    .map((option) => optionLine(option))
  return [
    referenceBeginning(program.description(), { common, program: own }, contents(groups)),
    ...groups.flatMap(({ title, commands }) => [
      `## ${title}`,
      ...commands.flatMap((command) => sections(command, ['paytwin', command.name()], notesOf)),
    ]),
  ]
    .join('\n\n')
    .concat('\n')
}

type Group = { readonly title: string; readonly commands: readonly Command[] }

/** Lists the groups of commands, in the order of the help. */
function groupsOf(program: Command): Group[] {
  const commands = program.createHelp().visibleCommands(program)
  const titles = [...new Set(commands.map((command) => command.helpGroup()))]
  return titles.map((title) => ({
    title: title.replace(/:$/, ''),
    commands: commands.filter((command) => command.helpGroup() === title),
  }))
}

const below = (command: Command): readonly Command[] => command.createHelp().visibleCommands(command)

/** Writes the section of a command, then those of its subcommands. */
function sections(
  command: Command,
  path: readonly string[],
  notesOf: (command: Command) => string,
): string[] {
  const children = below(command)
  return [
    commandSection({ command, path, children, notes: notesOf(command) }),
    ...children.flatMap((child) => sections(child, [...path, child.name()], notesOf)),
  ]
}

/** Writes the table of contents: each command with its description and its subcommands. */
const contents = (groups: readonly Group[]): string =>
  groups
    .flatMap(({ title, commands }) => [`- ${linkTo(title, title)}`, ...commands.map(contentsLine)])
    .join('\n')

function contentsLine(command: Command): string {
  const path = ['paytwin', command.name()]
  const verbs = below(command).map((child) =>
    linkTo(headingOf([...path, child.name()]), asCode(child.name())),
  )
  const link = linkTo(headingOf(path), asCode(command.name()))
  return `  - ${[`${link}: ${firstSentence(command.description())}.`, ...(verbs.length > 0 ? [`${verbs.join(', ')}.`] : [])].join(' ')}`
}
