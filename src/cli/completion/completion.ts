import { Argument, type Command } from 'commander'
import { toJson } from '../../text/display.ts'
import { examplesText } from '../command.ts'
import type { Io } from '../io.ts'
import { bashCompletion } from './completion-bash.ts'
import { fishCompletion } from './completion-fish.ts'
import { type CompletedCommand, completionTree } from './completion-tree.ts'
import { zshCompletion } from './completion-zsh.ts'

const SHELLS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

const INSTALL = `
To load completion in the current shell:
  bash   source <(paytwin completion bash)
  zsh    source <(paytwin completion zsh)
  fish   paytwin completion fish | source
To load it in every shell, add that line to ~/.bashrc, ~/.zshrc (after compinit) or
~/.config/fish/config.fish.
`

/**
 * Adds `paytwin completion`. The script contains all commands of this version. Only the completion of an ID runs the program,
 * which reads IDs from the daemon.
 */
export function completionCommand(program: Command, io: Io): void {
  program
    .command('completion')
    .description('Print a shell completion script.')
    .addArgument(new Argument('<SHELL>', 'the shell').choices(Object.keys(SHELLS)))
    .option('--json', 'print the script in a JSON object')
    .addHelpText(
      'after',
      INSTALL + examplesText(Object.keys(SHELLS).map((shell) => `paytwin completion ${shell}`)),
    )
    .action((shell: string, { json }: { readonly json?: boolean }) => {
      const script = SHELLS[shell]?.(completionTree(program)) ?? ''
      io.stdout.write(json ? `${toJson({ object: 'completion', shell, script })}\n` : script)
    })
}
