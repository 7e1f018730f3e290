import { Argument, type Command } from 'commander'
import { toJson } from '../text/display.ts'
import { examplesText } from './command.ts'
import { bashCompletion } from './completion-bash.ts'
import { fishCompletion } from './completion-fish.ts'
import { type CompletedCommand, completionTree } from './completion-tree.ts'
import { zshCompletion } from './completion-zsh.ts'
import type { Io } from './io.ts'

const SHELLS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
}

const INSTALL = `
Once, in a running shell:
  bash   source <(paytwin completion bash)
  zsh    source <(paytwin completion zsh)
  fish   paytwin completion fish | source
For good, put that line into ~/.bashrc, ~/.zshrc (after compinit) or ~/.config/fish/config.fish.
`

/**
 * `paytwin completion`: a script with all that this version knows, so that no key press has to wait for the program.
 */
export function completionCommand(program: Command, io: Io): void {
  program
    .command('completion')
    .description('Print a script that completes commands, options and values in a shell.')
    .addArgument(new Argument('<SHELL>', 'which shell').choices(Object.keys(SHELLS)))
    .option('--json', 'the script within a JSON object')
    .addHelpText(
      'after',
      INSTALL + examplesText(Object.keys(SHELLS).map((shell) => `paytwin completion ${shell}`)),
    )
    .action((shell: string, { json }: { readonly json?: boolean }) => {
      const script = SHELLS[shell]?.(completionTree(program)) ?? ''
      io.stdout.write(json ? `${toJson({ object: 'completion', shell, script })}\n` : script)
    })
}
