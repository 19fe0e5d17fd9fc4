package dev.hedgescope.samples;

import java.util.ArrayList;
import java.util.List;

/** Text in columns: the first to the left, the others to the right. */
final class Table {

    private final List<String[]> rows = new ArrayList<>();

    Table(String... header) {
        rows.add(header.clone());
    }

    /** Adds a row, with as many cells as the header has. */
    void row(String... cells) {
        if (cells.length != rows.get(0).length) {
            throw new IllegalArgumentException(
                    "cells must be as many as in the header, %d, were %d".formatted(rows.get(0).length, cells.length));
        }
        rows.add(cells.clone());
    }

    @Override
    public String toString() {
        int[] widths = new int[rows.get(0).length];
        for (String[] row : rows) {
            for (int column = 0; column < row.length; column++) {
                widths[column] = Math.max(widths[column], row[column].length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (String[] row : rows) {
            text.append(line(row, widths));
            if (row == rows.get(0)) {
                text.append("-".repeat(line(row, widths).length() - 1)).append('\n');
            }
        }
        return text.toString();
    }

    private static String line(String[] row, int[] widths) {
        StringBuilder line = new StringBuilder(row[0]).append(" ".repeat(widths[0] - row[0].length()));
        for (int column = 1; column < row.length; column++) {
            line.append("  ")
                    .append(" ".repeat(widths[column] - row[column].length()))
                    .append(row[column]);
        }
        return line.append('\n').toString();
    }
}
