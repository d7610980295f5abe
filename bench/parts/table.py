"""The table that bench/run prints."""
import csv


class Table:
    def __init__(self, csv_file=None):
        self.file = open(csv_file, "w", newline="", encoding="utf-8") if csv_file else None
        self.writer = csv.writer(self.file) if self.file else None
        self.over = 0

    def title(self, text, columns, widths):
        self.widths = widths
        self.columns = columns
        print(f"\n{text}")
        self.line(columns)
        if self.writer:
            self.writer.writerow([text])
            self.writer.writerow(columns)

    def row(self, *cells):
        self.over += "over" in cells
        self.line(cells)
        if self.writer:
            self.writer.writerow([cell.strip() for cell in cells])
            self.file.flush()

    def line(self, cells):
        first, *others = zip(cells, self.widths)
        print(f"{first[0]:<{first[1]}}" + "".join(f"{cell:>{width}}" for cell, width in others), flush=True)
