import { Command } from 'commander'
import { firstSentence } from '../text/display.ts'
import { asCode, linkTo } from '../text/markdown.ts'
import { commonOptions } from './command.ts'
import { createProgram } from './program.ts'
import { referenceBeginning } from './reference-beginning.ts'
import { commandSection, headingOf, optionLine } from './reference-command.ts'

/** Help is written as for a terminal of so many columns, which is what a page shows of a block without scrolling. */
const COLUMNS = 100

/** docs/commands.md: all that help says of all commands, in its order, in Markdown. */
export async function commandReference(): Promise<string> {
  const written = { text: '' }
  const stream = {
    columns: COLUMNS,
    write: (text: string) => {
      written.text += text
    },
  }
  const program = await createProgram({ stdout: stream, stderr: stream, env: {} })
  /** What a command's help says below its options: help is made twice, with it and without it. */
  const notesOf = (command: Command): string => {
    written.text = ''
    // The one that commander adds itself, `help`, says nothing there, and belongs to nobody.
    if (command.parent === null) return ''
    command.outputHelp()
    return written.text.slice(command.helpInformation().length)
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

/** The commands that help shows together, in its order. */
function groupsOf(program: Command): Group[] {
  const commands = program.createHelp().visibleCommands(program)
  const titles = [...new Set(commands.map((command) => command.helpGroup()))]
  return titles.map((title) => ({
    title: title.replace(/:$/, ''),
    commands: commands.filter((command) => command.helpGroup() === title),
  }))
}

const below = (command: Command): readonly Command[] => command.createHelp().visibleCommands(command)

/** A command, then those below it. */
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

/** A list of all commands: each with what it is for, and with what stands below it. */
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
